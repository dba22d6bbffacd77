// headwater resolve: what became of a commit whose outcome was unknown. The exit code is the answer too.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print.hpp"

#include <headwater/resolve.hpp>

namespace headwater::cli {

namespace {

result<void> verdict(resume_token const& token, resolution const& answer)
{
    auto const id = token.at().id->text();
    switch (answer.verdict) {
    case resolution::verdict_type::committed: return {};
    case resolution::verdict_type::not_committed: {
        diagnostics why("resolve", "", "commit " + id + " was not published");
        why.facts = {{"expected", id}, {"actual", answer.actual ? answer.actual->text() : ""}};
        return error(errc::conflict, std::move(why));
    }
    case resolution::verdict_type::lost:
        return error(errc::outcome_unknown,
                     diagnostics("resolve", "", "commit " + id + " is below the floor, its history is gone for good"));
    case resolution::verdict_type::unknown: break;
    }
    diagnostics why("resolve", "", "commit " + id + " may yet be published; the next commit on its branch decides");
    why.facts.emplace_back("resume", token.text());
    return error(errc::outcome_unknown, std::move(why));
}

}  // namespace

task<void> perform(session& in, resolve_arguments const& wanted)
{
    auto const token = resume_token::parse(wanted.token);
    if (!token) co_return token.error();
    resume_token copy = *token;
    auto const answer = co_await resolve(in.store(), std::move(copy));
    if (!answer) co_return answer.error();
    auto const told =
        in.answer(resolution_json(token->at(), *answer), resolution_line(token->at(), *answer), answer->spent);
    if (!told) co_return told.error();
    co_return verdict(*token, *answer);
}

}  // namespace headwater::cli
