// Captures the source, finds the base by reading the commits that merge_base asks for, and publishes what adoption
// says.
#include <headwater/merge.hpp>

#include "src/base/backoff.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/adoption.hpp"
#include "src/log/checkpoint_writer.hpp"
#include "src/log/merge_base.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/publisher.hpp>
#include <headwater/stores.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace headwater {

namespace {

/// The waits between plans after a lost race.
constexpr std::chrono::milliseconds merge_wait_base{2};
constexpr std::chrono::milliseconds merge_wait_cap{500};
/// The most commits that the search for a base reads.
constexpr std::size_t max_base_commits = 1'000'000;

// History that is gone is a fact about it, not a failure to read.
bool is_gone(error const& what)
{
    return what == errc::pruned || what == errc::history_gap || what == errc::not_found
           || what == errc::branch_not_found;
}

/// The commits that the search for a base has asked for, and where they stand.
class base_reader {
public:
    base_reader(object_store& store, clock& time) : store_(store), time_(time) {}

    /// The newest common ancestor's state; the empty one if there is none.
    task<snapshot> find(snapshot left, snapshot right)
    {
        if (!left.id() || !right.id()) co_return snapshot();
        place(left);
        place(right);
        for (;;) {
            auto const step = find_merge_base(known_, *left.id(), *right.id());
            if (step.kind == merge_base_step::kind_type::unknown) {
                co_return error(errc::history_gap, diagnostics("merge", "",
                                                               "commit " + step.id->text()
                                                                   + " is gone, and what the branches "
                                                                     "have in common may depend on it"));
            }
            if (step.kind == merge_base_step::kind_type::read) {
                auto done = co_await read(*step.id);
                if (!done) co_return done.error();
                continue;
            }
            if (!step.id) co_return snapshot();
            if (*step.id == *left.id()) co_return left;
            if (*step.id == *right.id()) co_return right;
            co_return co_await state_of(*step.id);
        }
    }

private:
    void place(snapshot const& of) { places_.insert_or_assign(*of.id(), of.at()); }

    open_stream& stream(stream_id const& of)
    {
        auto& slot = streams_[of.text()];
        if (!slot) slot = std::make_unique<open_stream>(store_, of, time_, ended_lives::readable);
        return *slot;
    }

    // A child has its first records, and its fork, from its parent.
    task<position> own_place(position at)
    {
        for (;;) {
            auto& of = stream(at.stream);
            fetched from(store_);
            auto opened = co_await of.refresh(from);
            if (!opened) co_return opened.error();
            auto const& forked = of.known().metadata.parent;
            if (!forked || at.seq > forked->seq) co_return at;
            at.stream = *stream_id::parse(forked->stream);
        }
    }

    // The commit, and as many before it as its stream has been asked for already: a long way takes few rounds.
    task<void> read(commit_id id)
    {
        auto const at = places_.find(id);
        auto told = result<void>();
        if (at != places_.end()) {
            position where = at->second;
            told = co_await read_at(std::move(where));
        }
        if (!told && !is_gone(told.error())) co_return told;
        if (known_.find(id)) co_return result<void>();
        // A floor's checkpoint, and a fork's, know the commit but not what it came from.
        auto const state = co_await state_of(id);
        if (!state && !is_gone(state.error())) co_return state.error();
        if (!state) {
            known_.add_missing(std::move(id));
            co_return result<void>();
        }
        commit_graph::node node;
        node.created_at = state->created_at();
        node.rootless = true;
        known_.add(std::move(id), std::move(node));
        co_return result<void>();
    }

    task<void> read_at(position at)
    {
        auto own = co_await own_place(std::move(at));
        if (!own) co_return own.error();
        auto& from = stream(own->stream);
        auto& asked = asked_[own->stream.text()];
        auto const count = std::clamp<std::size_t>(asked, 1, open_stream::max_history_page);
        auto records = co_await from.history(own->seq, count);
        if (!records) co_return records.error();
        asked += records->size();
        total_ += records->size();
        if (total_ > max_base_commits) {
            co_return error(errc::limit_exceeded, "max_base_commits reached while looking for a common ancestor");
        }
        auto const& forked = from.known().metadata.parent;
        for (auto const& each : *records) take(each, own->stream, forked);
        co_return result<void>();
    }

    void take(record const& one, stream_id const& of, std::optional<stream_metadata::parent_type> const& forked)
    {
        commit_graph::node node;
        node.created_at = one.created_at;
        if (one.parent) {
            position at;
            bool const first = forked && forked->seq.next() == one.seq;
            at.stream = first ? *stream_id::parse(forked->stream) : of;
            at.seq = sequence(one.seq.value() - 1);
            at.id = one.parent;
            node.parents.push_back(*one.parent);
            places_.emplace(*one.parent, std::move(at));
        }
        if (one.origin && one.origin->kind != lineage::kind_type::retire) {
            auto const& other = one.origin->merged_parent_commit_id;
            node.parents.push_back(other);
            auto const stream = one.origin->source_stream ? stream_id::parse(*one.origin->source_stream)
                                                          : result<stream_id>(errc::not_found);
            if (stream && one.origin->source_seq) {
                position at;
                at.stream = *stream;
                at.seq = sequence(*one.origin->source_seq);
                at.id = other;
                places_.emplace(other, std::move(at));
            }
        }
        known_.add(one.id, std::move(node));
    }

    // At its place, or at the fork of a child that has it from there.
    task<snapshot> state_of(commit_id id)
    {
        std::vector<position> places;
        if (auto const at = places_.find(id); at != places_.end()) places.push_back(at->second);
        for (auto const& [name, each] : streams_) {
            position at;
            at.stream = *stream_id::parse(name);
            bool const forked_there =
                each->is_open() && each->known().metadata.parent && each->known().metadata.parent->id == id;
            if (!forked_there) continue;
            at.seq = each->known().metadata.parent->seq;
            places.push_back(std::move(at));
        }
        error why(errc::history_gap, diagnostics("merge", "", "the state at commit " + id.text() + " is gone"));
        for (auto const& each : places) {
            auto found = co_await stream(each.stream).at(each.seq);
            if (found && found->id() == id) co_return found;
            if (!found && !is_gone(found.error())) co_return found.error();
        }
        co_return why;
    }

    object_store& store_;
    clock& time_;
    commit_graph known_;
    std::map<commit_id, position> places_;
    std::map<std::string, std::unique_ptr<open_stream>> streams_;
    std::map<std::string, std::size_t> asked_;
    std::size_t total_ = 0;
};

class merge_run {
public:
    merge_run(object_store& store, branch_name const& target, clock& time, random& chance, merge_options options,
              merge_resolver const& resolve)
        : store_(store),
          time_(time),
          chance_(chance),
          options_(options),
          resolve_(resolve),
          bases_(store, time),
          into_(store, target.text(), time, chance)
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
            if (out.outcome == merge_receipt::outcome_type::already_up_to_date) co_return out;
            auto wanted = co_await plan(*base, source, *target, out.outcome);
            if (!wanted) co_return wanted.error();
            auto const done = co_await into_.publish_at(std::move(*target), std::move(*wanted));
            if (done) {
                out.at = done->at;
                // Best effort by its nature: what follows a commit never touches it.
                auto const kept = co_await into_.upkeep();
                (void)kept;
                co_return out;
            }
            if (!(done.error() == errc::conflict)) co_return done.error();
            lost = done.error();
        }
        co_return with(lost, [&](diagnostics& why) {
            why.detail += "; max_prepares (" + std::to_string(options_.max_prepares) + ") reached, try again later";
        });
    }

private:
    static merge_receipt::outcome_type outcome_of(snapshot const& base, snapshot const& source, snapshot const& target)
    {
        using outcome = merge_receipt::outcome_type;
        if (base.id() == source.id()) return outcome::already_up_to_date;
        return base.id() == target.id() ? outcome::fast_forward : outcome::merged;
    }

    task<intent> plan(snapshot const& base, snapshot const& source, snapshot const& target,
                      merge_receipt::outcome_type outcome)
    {
        std::vector<tombstone> used;
        if (brings_identity(source, target)) {
            auto dropped = co_await tombstones_of(target);
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

    task<std::vector<tombstone>> tombstones_of(snapshot const& when)
    {
        fetched from(store_);
        auto const set = co_await sets_.read_set(from, when.content().base_set());
        if (!set) co_return set.error();
        std::vector<tombstone> out = **set;
        auto const& recent = when.content().recent();
        out.insert(out.end(), recent.begin(), recent.end());
        co_return out;
    }

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

task<merge_receipt> merge(object_store& store, branch_name source, branch_name target, clock& time, random& chance,
                          merge_options options, merge_resolver resolve)
{
    if (source == target) co_return error(errc::invalid_argument, "a branch cannot be merged into itself");
    meter counts;
    auto const counted = make_metered_store(store, counts);
    open_stream from(*counted, source.text(), time);
    auto captured = co_await from.current();
    if (!captured) co_return captured.error();
    merge_run one(*counted, target, time, chance, options, resolve);
    auto done = co_await one.run(std::move(*captured));
    if (done) done->spent = counts.total();
    co_return done;
}

}  // namespace headwater
