// headwater commit create, import, list and show: making commits and looking at them.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/publishing.hpp"
#include "tools/headwater/commands/stopping.hpp"
#include "tools/headwater/input.hpp"
#include "tools/headwater/print.hpp"
#include "tools/headwater/stop_request.hpp"

#include <headwater/intent.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>

#include <algorithm>

namespace headwater::cli {

namespace {

result<intent> read_intent(std::string const& path)
{
    auto from = input::open(path);
    if (!from) return from.error();
    auto const text = from->all({"max_record_bytes", max_record_bytes});
    if (!text) return text.error();
    return decode_intent(*text);
}

result<bytes> read_schema(std::string const& path)
{
    auto from = input::open(path);
    if (!from) return from.error();
    auto text = from->all({"max_schema_bytes", max_schema_bytes});
    if (!text) return text.error();
    return bytes(std::move(*text));
}

error at_line(error const& what, std::uint64_t line, std::uint64_t commits)
{
    return with(what, [&](diagnostics& why) {
        why.detail = "line " + std::to_string(line) + " (" + std::to_string(commits) + " commits stand): " + why.detail;
        why.facts.emplace_back("line", std::to_string(line));
        why.facts.emplace_back("committed", std::to_string(commits));
    });
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// What was published stays so, also when nobody can be told.
result<void> tell(session& in, commit_receipt const& done)
{
    auto const which = "seq " + std::to_string(done.at.seq.value()) + ", commit " + done.at.id->text();
    return in.report(which + " was published", receipt_json(done), receipt_line(done), done.spent);
}

task<void> create_commit(session& in, std::optional<std::string> expect, intent wanted)
{
    publisher to(in.store(), in.flags().branch, in.time(), in.chance(), {.proofs = &in.proofs()});
    auto publishing = expect ? publish_on(in, to, *expect, std::move(wanted)) : publish(in, to, std::move(wanted));
    auto done = co_await std::move(publishing);
    if (!done) co_return done.error();
    co_return tell(in, *done);
}

task<commit_receipt> import_line(session& in, publisher& to, std::string_view line)
{
    auto wanted = decode_intent(line);
    if (!wanted) co_return wanted.error();
    co_return co_await publish(in, to, std::move(*wanted));
}

task<void> import_lines(session& in, input& from, stop_request& stop, summary& so_far)
{
    publisher to(in.store(), in.flags().branch, in.time(), in.chance(), {.proofs = &in.proofs()});
    for (std::uint64_t number = 1;; ++number) {
        auto const line = from.line({"max_record_bytes", max_record_bytes}, stop);
        if (!line) co_return at_line(line.error(), number, so_far.commits);
        if (stop.made()) co_return stopped("commit import", so_far.commits);
        if (!*line) co_return result<void>();
        if (is_blank(**line)) continue;
        auto const done = co_await import_line(in, to, **line);
        if (!done && is_plain_stop(done.error())) co_return stopped("commit import", so_far.commits);
        if (!done) co_return at_line(done.error(), number, so_far.commits);
        count(so_far, *done);
        if (!in.flags().json) continue;
        // At once: who reads the answers must know of each commit that stands.
        if (auto told = tell(in, *done); !told) co_return at_line(told.error(), number, so_far.commits);
    }
}

task<record> read_record(session& in, point const& at)
{
    reader from(in.store(), in.flags().branch, in.time());
    if (auto const* const seq = std::get_if<sequence>(&at)) co_return co_await from.record_at(*seq);
    if (auto const* const time = std::get_if<time_ms>(&at)) {
        auto const then = co_await from.at(*time);
        if (!then) co_return then.error();
        co_return co_await from.record_at(then->seq());
    }
    commit_id id = std::get<commit_id>(at);
    co_return co_await from.record_at(std::move(id));
}

// What is wrong with one record of a page, the others may be told.
bool is_of_one_record(error const& what)
{
    return what == errc::corrupt || what == errc::history_gap || what == errc::unsupported;
}

// A list tells what a commit changed; the carry only repeats earlier ones.
result<void> write_record(session& in, record value)
{
    if (!in.flags().json) return in.results().write(record_line(value));
    value.carried.reset();
    auto const text = encode(value);
    if (!text) return text.error();
    (void)in.results().write(text->view());
    return in.results().write("\n");
}

// Streams are for programs: the cost goes beside them.
result<void> say_cost(session& in)
{
    if (!in.flags().cost) return {};
    return in.messages().write(cost_line(in.spent()));
}

}  // namespace

task<void> perform(session& in, create_arguments const& wanted)
{
    if (wanted.file == "-" && wanted.schema_content == "-") {
        co_return error(errc::invalid_argument, "stdin is read once: name a file with --file or --schema-content");
    }
    auto parsed = read_intent(wanted.file);
    if (!parsed) co_return parsed.error();
    if (wanted.schema_content) {
        auto content = read_schema(*wanted.schema_content);
        if (!content) co_return content.error();
        parsed->schema_content = std::move(*content);
    }
    // Not before: a signal while the input is awaited ends the process as ever.
    stop_request stop(in.executor());
    auto creating = create_commit(in, wanted.expect, std::move(*parsed));
    co_return co_await cancelled_by(in, stop, std::chrono::milliseconds(0), std::move(creating));
}

task<void> perform(session& in, import_arguments const& wanted)
{
    auto from = input::open(wanted.file);
    if (!from) co_return from.error();
    summary so_far;
    stop_request stop(in.executor());
    auto lines = import_lines(in, *from, stop, so_far);
    auto const done = co_await cancelled_by(in, stop, stop_grace, std::move(lines));
    if (!done || in.flags().json) {
        if (auto said = say_cost(in); !said) co_return said.error();
        co_return done;
    }
    auto const human = in.flags().quiet ? std::string() : import_text(so_far);
    auto const what = import_text(so_far);
    co_return in.report(what.substr(0, what.size() - 1) + (so_far.commits == 1 ? " was" : " were") + " published",
                        std::string(), human, so_far.spent);
}

task<void> perform(session& in, list_arguments const& wanted)
{
    reader from(in.store(), in.flags().branch, in.time());
    auto const now = co_await from.current();
    if (!now) co_return now.error();
    auto left = wanted.limit == 0 ? now->seq().value() : std::min(wanted.limit, now->seq().value());
    auto newest = now->seq();
    auto at_once = reader::max_history_page;
    while (left > 0) {
        auto const asked = std::min<std::size_t>(left, at_once);
        auto page = co_await from.history(newest, asked);
        if (!page && asked > 1 && is_of_one_record(page.error())) {
            at_once = 1;  // Those that stand above it are told first.
            continue;
        }
        if (!page) co_return page.error();
        for (auto& each : *page) {
            if (auto written = write_record(in, std::move(each)); !written) co_return written.error();
        }
        if (page->size() < asked) break;
        left -= asked;
        newest = sequence(newest.value() - asked);
    }
    co_return say_cost(in);
}

task<void> perform(session& in, show_arguments const& wanted)
{
    auto const at = parse_point(wanted.commit);
    if (!at) co_return at.error();
    auto const found = co_await read_record(in, *at);
    if (!found) co_return found.error();
    auto const exact = encode(*found);
    if (!exact) co_return exact.error();
    if (auto said = say_cost(in); !said) co_return said.error();
    co_return in.results().write(in.flags().json ? std::string(exact->view()) + '\n' : record_text(*found));
}

}  // namespace headwater::cli
