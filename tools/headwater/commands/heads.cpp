// headwater heads list, show and verify: the table heads of a state, dropped ones too.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/commands/reading.hpp"
#include "tools/headwater/input.hpp"
#include "tools/headwater/print_heads.hpp"

#include <headwater/heads.hpp>

#include <algorithm>

namespace headwater::cli {

namespace {

task<heads_view> read_view(session& in, reader& from, std::optional<std::string> const& text)
{
    auto const at = parse_optional_point(text);
    if (!at) co_return at.error();
    heads_view out;
    auto now = co_await read_at(from, *at);
    if (!now) co_return now.error();
    out.at = std::move(*now);
    auto dropped = co_await from.tombstones(out.at);
    if (!dropped) co_return dropped.error();
    out.dropped = std::move(*dropped);
    out.spent = in.spent();
    co_return out;
}

// A table is named by its key, its stable_table_id, or that and the incarnation: `node:Person`, `12`, `12/3`.
bool is_named(table_identity table, std::string const& key, std::string const& name)
{
    auto const id = std::to_string(table.stable_table_id);
    return name == key || name == id || name == id + '/' + std::to_string(table.incarnation);
}

result<std::vector<expected_head>> read_expected(std::optional<std::string> const& path)
{
    if (!path) return std::vector<expected_head>();
    auto from = input::open(*path);
    if (!from) return from.error();
    auto const text = from->all({"max_record_bytes", max_record_bytes});
    if (!text) return text.error();
    return decode_expected_heads(*text);
}

error found_wrong(errc code, std::vector<head_finding> const& findings)
{
    return {code, diagnostics("heads verify", "",
                              std::to_string(findings.size()) + " findings, the first: " + findings.front().detail)};
}

}  // namespace

task<void> perform(session& in, heads_list_arguments const& wanted)
{
    reader from(in.store(), in.flags().branch, in.time());
    auto const view = co_await read_view(in, from, wanted.at);
    if (!view) co_return view.error();
    co_return in.answer(heads_json(in.flags().branch, *view), heads_text(*view), view->spent);
}

task<void> perform(session& in, heads_show_arguments const& wanted)
{
    reader from(in.store(), in.flags().branch, in.time());
    auto view = co_await read_view(in, from, wanted.at);
    if (!view) co_return view.error();
    view->only = [&](table_identity table, std::string const& key) { return is_named(table, key, wanted.table); };
    auto const heads = view->at.heads();
    bool const live =
        std::ranges::any_of(heads, [&](head const& each) { return view->only(each.table, each.table_key); });
    bool const dropped = std::ranges::any_of(
        view->dropped, [&](tombstone const& each) { return view->only(each.table, each.table_key); });
    if (!live && !dropped) {
        co_return error(errc::not_found, "no table was ever called " + wanted.table + " at seq "
                                             + std::to_string(view->at.seq().value()));
    }
    co_return in.answer(heads_json(in.flags().branch, *view), heads_text(*view), view->spent);
}

task<void> perform(session& in, heads_verify_arguments const& wanted)
{
    auto const expected = read_expected(wanted.expect);
    if (!expected) co_return expected.error();
    auto const at = parse_optional_point(wanted.at);
    if (!at) co_return at.error();
    reader from(in.store(), in.flags().branch, in.time());
    auto const now = co_await read_at(from, *at);
    if (!now) co_return now.error();
    auto findings = co_await verify_heads(from, *now);
    if (!findings) co_return findings.error();
    auto const wrong = *findings;
    auto const unmet = check_expected(now->heads(), *expected);
    findings->insert(findings->end(), unmet.begin(), unmet.end());
    auto const answered = in.answer(findings_json(in.flags().branch, *now, *findings, in.spent()),
                                    findings_text(*now, *findings), in.spent());
    if (!answered) co_return answered.error();
    if (!wrong.empty()) co_return found_wrong(errc::corrupt, wrong);
    if (!unmet.empty()) co_return found_wrong(errc::precondition_failed, unmet);
    co_return result<void>();
}

}  // namespace headwater::cli
