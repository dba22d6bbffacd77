// Collects what graph_check finds.
#include <headwater/verify.hpp>

#include "src/upkeep/graph_check.hpp"

#include <headwater/stores.hpp>

#include <algorithm>

namespace headwater {

namespace {

class collector final : public check_observer {
public:
    explicit collector(std::vector<finding>& out) : out_(out) {}

    task<void> found(finding what, found_beside) override
    {
        bool const told =
            may_be_told_again(what.kind) && std::ranges::find(out_, what.key, &finding::key) != out_.end();
        if (told) co_return result<void>();
        if (out_.size() == max_findings) co_return error(errc::limit_exceeded, "max_findings reached");
        out_.push_back(std::move(what));
        co_return result<void>();
    }

private:
    std::vector<finding>& out_;
};

}  // namespace

std::string_view to_string(finding::kind_type kind) noexcept
{
    switch (kind) {
    case finding::kind_type::hint_missing: return "hint_missing";
    case finding::kind_type::hint_stale: return "hint_stale";
    case finding::kind_type::hint_ahead: return "hint_ahead";
    case finding::kind_type::hint_garbage: return "hint_garbage";
    case finding::kind_type::hint_wrong: return "hint_wrong";
    case finding::kind_type::checkpoint_missing: return "checkpoint_missing";
    case finding::kind_type::checkpoint_torn: return "checkpoint_torn";
    case finding::kind_type::checkpoint_wrong: return "checkpoint_wrong";
    case finding::kind_type::carry_wrong: return "carry_wrong";
    case finding::kind_type::digest_wrong: return "digest_wrong";
    case finding::kind_type::parent_break: return "parent_break";
    case finding::kind_type::gap: return "gap";
    case finding::kind_type::void_record: return "void_record";
    case finding::kind_type::record_torn: return "record_torn";
    case finding::kind_type::refused_change: return "refused_change";
    case finding::kind_type::duplicate_key: return "duplicate_key";
    case finding::kind_type::set_missing: return "set_missing";
    case finding::kind_type::set_wrong: return "set_wrong";
    case finding::kind_type::time_falls: return "time_falls";
    case finding::kind_type::half_done_create: return "half_done_create";
    case finding::kind_type::half_done_delete: return "half_done_delete";
    case finding::kind_type::metadata_torn: return "metadata_torn";
    case finding::kind_type::metadata_missing: return "metadata_missing";
    case finding::kind_type::name_missing: return "name_missing";
    case finding::kind_type::name_wrong: return "name_wrong";
    case finding::kind_type::duplicate_life: return "duplicate_life";
    case finding::kind_type::parent_wrong: return "parent_wrong";
    case finding::kind_type::end_wrong: return "end_wrong";
    case finding::kind_type::schema_wrong: return "schema_wrong";
    case finding::kind_type::unknown_format: return "unknown_format";
    case finding::kind_type::stray_key: return "stray_key";
    }
    return "unknown";
}

bool verify_report::corrupt() const noexcept { return std::ranges::any_of(findings, &finding::corrupt); }

task<verify_report> verify(object_store& store, clock& time, verify_options options)
{
    meter counts;
    auto const counted = make_metered_store(store, counts);
    verify_report out;
    collector found(out.findings);
    graph_check check(*counted, time, options.deep, found);
    auto done = co_await check.run(out);
    if (!done) co_return done.error();
    out.spent = counts.total();
    co_return out;
}

}  // namespace headwater
