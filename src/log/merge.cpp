// Captures the source, has base_reader find the base, and publishes what adoption says.
#include <headwater/merge.hpp>

#include "src/base/backoff.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/adoption.hpp"
#include "src/log/base_reader.hpp"
#include "src/log/dropped.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/probe.hpp>
#include <headwater/publisher.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>
#include <memory>

namespace headwater {

namespace {

/// The waits between plans after a lost race.
constexpr std::chrono::milliseconds merge_wait_base{2};
constexpr std::chrono::milliseconds merge_wait_cap{500};

class merge_run {
public:
    merge_run(open_stream& from, branch_name const& target, random& chance, merge_options options,
              merge_resolver const& resolve)
        : from_(from),
          store_(from.store()),
          time_(from.time()),
          chance_(chance),
          options_(options),
          resolve_(resolve),
          bases_(store_, time_),
          into_(store_, target.text(), time_, chance, {.proofs = options.proofs})
    {
    }

    task<merge_receipt> run(snapshot source)
    {
        merge_receipt out;
        out.source = source.at();
        error lost;
        for (out.attempts = 1; out.attempts <= options_.max_prepares; ++out.attempts) {
            if (out.attempts > 1) {
                auto const wait = full_jitter(merge_wait_base, merge_wait_cap, out.attempts - 2, chance_.next());
                co_await time_.sleep_for(wait);
            }
            auto target = co_await into_.current();
            if (!target) co_return target.error();
            auto const base = co_await bases_.find(source, *target);
            if (!base) co_return base.error();
            out.base = base->id();
            out.at = target->at();
            out.outcome = outcome_of(*base, source, *target);
            bool const nothing_new = out.outcome == merge_receipt::outcome_type::already_up_to_date;
            intent wanted;
            if (!nothing_new) {
                auto planned = co_await plan(*base, source, *target, out.outcome);
                if (!planned) co_return planned.error();
                wanted = std::move(*planned);
            }
            auto const stands = co_await check_source(source);
            if (!stands) co_return stands.error();
            if (nothing_new) co_return out;
            auto const done = co_await into_.publish_at(std::move(*target), std::move(wanted));
            if (done) {
                out.at = done->at;
                co_await keep_up();
                co_return out;
            }
            if (!(done.error() == errc::conflict)) co_return done.error();
            lost = done.error();
        }
        co_return with(lost, [&](diagnostics& why) {
            why.detail += "; max_prepares (" + std::to_string(options_.max_prepares) + ") reached, try again later";
        });
    }

    /// Nothing is merged of a source that has ended: the target has its last state, or `otherwise` is the answer.
    task<merge_receipt> find_merged(snapshot source, error otherwise)
    {
        auto target = co_await into_.current();
        if (!target) co_return target.error();
        auto const base = co_await bases_.find(source, *target);
        if (!base && !(base.error() == errc::history_gap)) co_return base.error();
        if (!base || base->id() != source.id()) co_return otherwise;
        merge_receipt out;
        out.source = source.at();
        out.base = base->id();
        out.at = target->at();
        out.source_ended = true;
        co_return out;
    }

private:
    // Best effort by its nature: what follows a commit never touches it, nor does an end of that.
    boost::asio::awaitable<void> keep_up()
    {
        try {
            auto const kept = co_await into_.upkeep();
            (void)kept;
        } catch (boost::system::system_error const& cancelled) {
            if (cancelled.code() != boost::asio::error::operation_aborted) throw;
        }
    }

    static merge_receipt::outcome_type outcome_of(snapshot const& base, snapshot const& source, snapshot const& target)
    {
        using outcome = merge_receipt::outcome_type;
        if (base.id() == source.id()) return outcome::already_up_to_date;
        return base.id() == target.id() ? outcome::fast_forward : outcome::merged;
    }

    // All this took its time: what was captured counts only beside young metadata, as the target's newest does.
    task<void> check_source(snapshot const& source)
    {
        fetched from(store_);
        auto fresh = co_await from_.refresh(from);
        if (!fresh) co_return fresh.error();
        sequence const floor = from_.known().metadata.floor;
        if (source.seq() >= floor) co_return result<void>();
        diagnostics why("merge", layout::metadata(source.stream()).text(),
                        "seq " + std::to_string(source.seq().value()) + " of the source is below the floor "
                            + std::to_string(floor.value()) + " by now; merge again");
        why.facts.emplace_back("floor", std::to_string(floor.value()));
        co_return error(errc::pruned, std::move(why));
    }

    task<intent> plan(snapshot const& base, snapshot const& source, snapshot const& target,
                      merge_receipt::outcome_type outcome)
    {
        std::vector<tombstone> used;
        if (brings_identity(source, target)) {
            open_stream again(store_, target.stream(), time_, ended_lives::refused);
            auto dropped = co_await read_dropped(again, sets_, target);
            if (!dropped) co_return dropped.error();
            used = std::move(*dropped);
        }
        auto adopted = adopt(base, source, target, used, resolve_);
        if (!adopted.conflicts.empty()) co_return conflicts_of(adopted.conflicts);
        intent out = std::move(adopted.changes);
        if (!options_.actor.empty()) out.actor = std::string(options_.actor);
        lineage origin;
        bool const forward = outcome == merge_receipt::outcome_type::fast_forward;
        origin.kind = forward ? lineage::kind_type::fast_forward : lineage::kind_type::merge;
        origin.source_stream = source.stream().text();
        origin.source_seq = source.seq().value();
        origin.merged_parent_commit_id = *source.id();
        out.origin = std::move(origin);
        co_return out;
    }

    // Only what the target has not live may have been used there before.
    static bool brings_identity(snapshot const& source, snapshot const& target)
    {
        return std::ranges::any_of(source.heads(), [&](head const& each) {
            head const* const there = target.find(each.table.stable_table_id);
            return !there || there->table != each.table;
        });
    }

    open_stream& from_;
    object_store& store_;
    clock& time_;
    random& chance_;
    merge_options options_;
    merge_resolver const& resolve_;
    base_reader bases_;
    publisher into_;
    checkpoint_writer sets_;
};

}  // namespace

std::string_view to_string(merge_receipt::outcome_type outcome) noexcept
{
    switch (outcome) {
    case merge_receipt::outcome_type::already_up_to_date: return "already_up_to_date";
    case merge_receipt::outcome_type::fast_forward: return "fast_forward";
    case merge_receipt::outcome_type::merged: return "merged";
    }
    return "unknown";
}

namespace {

bool tells_an_end(error const& what) { return what == errc::branch_retired || what == errc::branch_not_found; }

// The state that the last life of the name ended with.
task<snapshot> last_state(open_stream& named, std::unique_ptr<open_stream>& life)
{
    fetched from(named.store());
    auto stream = co_await named.resolve(from);
    if (!stream) co_return stream.error();
    life = std::make_unique<open_stream>(named.store(), std::move(*stream), named.time(), ended_lives::readable);
    auto opened = co_await life->refresh(from);
    if (!opened) co_return opened.error();
    auto const& ended = life->retired() ? life->retired() : named.ending();
    if (!ended || ended->final_seq == sequence()) co_return error(errc::not_found);
    co_return co_await life->at(sequence(ended->final_seq.value() - 1));
}

}  // namespace

task<merge_receipt> merge(object_store& store, branch_name source, branch_name target, clock& time, random& chance,
                          merge_options options, merge_resolver resolve)
{
    if (source == target) co_return error(errc::invalid_argument, "a branch cannot be merged into itself");
    if (options.max_prepares == 0) co_return error(errc::invalid_argument, "max_prepares is at least 1");
    meter counts;
    auto const counted = make_metered_store(store, counts);
    open_stream from(*counted, source.text(), time);
    auto captured = co_await from.current();
    if (!captured && !(options.ended_is_merged && tells_an_end(captured.error()))) co_return captured.error();
    if (options.proofs && options.ended_is_merged) {
        auto const proven = co_await options.proofs->demand(*counted, proof_of::updates);
        if (!proven) co_return proven.error();
    }
    result<merge_receipt> done;
    if (captured) {
        merge_run one(from, target, chance, options, resolve);
        done = co_await one.run(std::move(*captured));
    } else {
        std::unique_ptr<open_stream> life;
        auto last = co_await last_state(from, life);
        if (!last) co_return captured.error();
        merge_run one(*life, target, chance, options, resolve);
        done = co_await one.find_merged(std::move(*last), captured.error());
    }
    if (done) done->spent = counts.total();
    co_return done;
}

}  // namespace headwater
