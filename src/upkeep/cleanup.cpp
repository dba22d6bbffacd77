// Lists, plans, heals, reads, sweeps below floors that have stood, raises, looks again, sweeps what nothing names. Who
// forks below a new floor either wrote its checkpoint before the second look, which then reads it, or reads the new
// floor and gives up. A floor is raised only after its sweep, so that no stop or rival makes it young unswept. Every
// step stands alone: stopped anywhere, the next run finds its place by what lies in the store.
#include <headwater/cleanup.hpp>

#include "src/format/object_layout.hpp"
#include "src/log/authority.hpp"
#include "src/upkeep/cleanup_plan.hpp"
#include "src/upkeep/graph_listing.hpp"
#include "src/upkeep/parent_check.hpp"
#include "src/upkeep/retained_walk.hpp"
#include "src/upkeep/stored.hpp"

#include <headwater/probe.hpp>
#include <headwater/stores.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

namespace headwater {

namespace {

/// The most tombstone sets, and the most schemas, that one run looks at; a later one takes the rest.
constexpr std::size_t max_orphans = 100'000;
/// How often a removal is asked for while its outcome is unknown.
constexpr unsigned max_removals = 3;
/// How often one call waits for what the floors cover: rivals may raise them again and again.
constexpr unsigned max_waits = 24;

using parse_digest = std::optional<std::string> (*)(std::string_view);

struct work {
    work() = default;

    life of;
    stream_facts facts;
    floor_step step;
    stream_cleanup told;
    std::optional<record> newest;  // Of a live stream that is to be changed, until its hint is healed.

    bool retired() const { return of.metadata.retired.has_value(); }
    bool empty() const { return facts.records.empty() && facts.checkpoints.empty() && !facts.hint; }
};

class cleanup_run {
public:
    cleanup_run(object_store& store, clock& time, cleanup_options options, root_sink const& roots)
        : store_(store), time_(time), options_(options), roots_(roots), walk_(store, roots)
    {
        report_.confirmed = options.confirm;
    }

    task<cleanup_report> run()
    {
        auto gathered = co_await gather();
        if (!gathered) co_return gathered.error();
        auto planned = co_await plan();
        if (!planned) co_return planned.error();
        bool const walks = must_walk();
        if (walks) {
            auto named = co_await read_retained();
            if (!named) co_return named.error();
        }
        if (options_.confirm) {
            auto moved = co_await move_floors();
            if (!moved) co_return moved.error();
        }
        if (walks) {
            auto named = co_await look_again();
            if (!named) co_return named.error();
        }
        // What a stream that cannot be read names is not known: all that it may name stays.
        if (all_read()) {
            plan_retired();
        } else {
            sets_.clear();
            schemas_.clear();
        }
        if (options_.confirm) {
            auto swept = co_await sweep_last();
            if (!swept) co_return swept.error();
        }
        auto swept = co_await sweep_orphans();
        if (!swept) co_return swept.error();
        for (auto& each : streams_) {
            if (!each.retired() || !each.empty()) report_.streams.push_back(std::move(each.told));
        }
        co_return std::move(report_);
    }

    /// The store's time by now, as far as it is known.
    time_ms store_now() const
    {
        return now_ + std::chrono::floor<std::chrono::milliseconds>(time_.since_boot() - opened_at_);
    }

private:
    std::chrono::milliseconds grace() const
    {
        return options_.quiesced ? std::chrono::milliseconds(0) : std::chrono::milliseconds(min_age);
    }
    void due(std::optional<time_ms> when)
    {
        if (when) report_.due = std::min(report_.due.value_or(*when), *when);
    }

    // --- what there is -----------------------------------------------------------------------------------------------

    task<void> gather()
    {
        auto opened = co_await open_graph(store_, time_);
        if (!opened) co_return opened.error();
        if (options_.confirm && options_.proofs) {
            auto const proven = co_await options_.proofs->demand(store_, proof_of::updates);
            if (!proven) co_return proven.error();
        }
        opened_at_ = time_.since_boot();
        interval_ = opened->format.checkpoint_interval;
        now_ = opened->now;
        if (!options_.quiesced) limits_.young_after = now_ - min_age;
        if (options_.older_than) limits_.kept_after = now_ - *options_.older_than;
        // Candidates first: what comes to be named from here on is young, or named by something that is kept.
        auto sets = co_await settled(layout::tombstones_prefix(), &layout::parse_tombstones);
        if (!sets) co_return sets.error();
        sets_ = std::move(*sets);
        auto schemas = co_await settled(layout::schemas_prefix(), &layout::parse_schema);
        if (!schemas) co_return schemas.error();
        schemas_ = std::move(*schemas);
        auto left = co_await gather_leftovers();
        if (!left) co_return left.error();
        auto streams = co_await list_streams(store_, nullptr);
        if (!streams) co_return streams.error();
        auto closed = co_await close_unfinished(*streams);
        if (!closed) co_return closed.error();
        for (auto const& stream : *streams) {
            work one;
            auto read = co_await read_life(store_, stream);
            if (!read) co_return read.error();
            one.of = std::move(*read);
            if (auto told = check_ages(one.of); !told) co_return told.error();
            auto facts = co_await list_stream(store_, stream, limits_);
            if (!facts) co_return facts.error();
            std::ranges::move(facts->leftovers, std::back_inserter(leftovers_));
            one.facts = std::move(*facts);
            auto ended = co_await finish_ending(one);
            if (!ended) co_return ended.error();
            streams_.push_back(std::move(one));
        }
        co_return co_await check_parents();
    }

    // Which history a branch needs below its fork is known by its metadata alone.
    task<void> check_parents()
    {
        for (auto const& each : streams_) {
            auto const& from = each.of.metadata.parent;
            if (!from || each.retired()) continue;
            auto const at = std::ranges::find_if(
                streams_, [&](work const& other) { return other.of.stream.text() == from->stream; });
            auto parent = at == streams_.end() ? std::optional<life>() : std::optional(at->of);
            auto child = each.of.metadata;
            auto const fault = co_await parent_fault(store_, std::move(child), std::move(parent));
            if (!fault) co_return fault.error();
            if (!*fault) continue;
            co_return error(errc::corrupt, diagnostics("cleanup", layout::metadata(each.of.stream).text(),
                                                       **fault + "; cleanup deletes nothing until then"));
        }
        co_return result<void>();
    }

    // By the store's own times alone can anything be old enough.
    result<void> check_ages(life const& of) const
    {
        if (options_.quiesced || of.last_modified) return {};
        return error(errc::unsupported,
                     diagnostics("cleanup", layout::metadata(of.stream).text(),
                                 store_.address()
                                     + " gives no Last-Modified, so nothing can be known to be an hour old; when "
                                       "nothing else has the graph open, --quiesced needs none"));
    }

    // Reads the newest record of a live stream. One that ends it is recorded in the metadata, as by every other reader.
    task<void> finish_ending(work& one)
    {
        auto const newest = one.facts.records.newest();
        if (!options_.confirm || one.retired() || !newest || *newest <= one.of.metadata.floor) co_return result<void>();
        auto page = co_await read_records(store_, one.of.stream, *newest, 1);
        if (!page) co_return page.error();
        if (!page->front()) co_return result<void>();  // The plan says what is wrong with it.
        one.newest = std::move(*page->front());
        if (!retires(*one.newest)) co_return result<void>();
        auto end = ending_of(*one.newest);
        life of = one.of;
        auto ended = co_await end_life(store_, std::move(of), std::move(end));
        if (!ended) co_return ended.error();
        one.of = std::move(*ended);
        one.of.last_modified = now_;
        co_return result<void>();
    }

    // Right below these; a stream's own come with its listing.
    task<void> gather_leftovers()
    {
        std::array const prefixes = {layout::graph_prefix(), layout::metadata_prefix(), layout::names_prefix()};
        for (auto const& prefix : prefixes) {
            listing pages(store_, prefix, "/");
            for (;;) {
                auto page = co_await pages.next();
                if (!page) co_return page.error();
                if (!*page) break;
                for (auto const& row : (*page)->objects) {
                    if (layout::is_temporary(row.key.text()) && !is_young(row)) leftovers_.push_back(row.key);
                }
            }
        }
        co_return result<void>();
    }

    bool is_young(object_meta const& row) const
    {
        return limits_.young_after && (!row.last_modified || *row.last_modified > *limits_.young_after);
    }

    task<std::vector<std::string>> settled(std::string prefix, parse_digest parse)
    {
        std::vector<std::string> out;
        listing pages(store_, std::move(prefix));
        for (;;) {
            auto page = co_await pages.next();
            if (!page) co_return page.error();
            if (!*page) co_return out;
            for (auto const& row : (*page)->objects) {
                if (is_young(row)) continue;
                auto digest = parse(row.key.text());
                if (digest && out.size() != max_orphans) out.push_back(std::move(*digest));
                if (layout::is_temporary(row.key.text())) leftovers_.push_back(row.key);
            }
        }
    }

    // No creation writes a record or a hint before the metadata: where they stand, that is lost.
    static result<void> check_never_began(stream_id const& stream, stream_facts const& facts)
    {
        if (!stream.is_main() && facts.records.empty() && !facts.hint) return {};
        return error(errc::corrupt,
                     diagnostics("cleanup", layout::metadata(stream).text(),
                                 "the stream's metadata is lost, so cleanup stops here; see `headwater verify`"));
    }

    // A life without metadata gets it, retired, so that its creator cannot finish; then its objects may go.
    task<void> close_unfinished(std::vector<stream_id>& streams)
    {
        auto folders = co_await list_folders(store_, nullptr);
        if (!folders) co_return folders.error();
        std::vector<stream_id> unfinished;
        std::ranges::set_difference(*folders, streams, std::back_inserter(unfinished));
        for (auto const& stream : unfinished) {
            auto facts = co_await list_stream(store_, stream, limits_);
            if (!facts) co_return facts.error();
            auto const again = co_await read_life(store_, stream);
            if (!again && !(again.error() == errc::not_found)) co_return again.error();
            if (again) {
                streams.push_back(stream);  // It began meanwhile.
                continue;
            }
            if (auto begun = check_never_began(stream, *facts); !begun) co_return begun.error();
            if (facts->young) continue;
            report_.unfinished.push_back(stream);
            if (!options_.confirm) continue;
            auto const now_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now_.time_since_epoch().count(), 0));
            auto encoded = encode(stillborn(stream, "cleanup", now_ms));
            if (!encoded) co_return encoded.error();
            object_key const key = layout::metadata(stream);
            auto const made = co_await store_.put_if_absent(key, *encoded);
            if (!made) co_return made.error();
            streams.push_back(stream);
        }
        std::ranges::sort(streams);
        co_return result<void>();
    }

    // --- what may go -------------------------------------------------------------------------------------------------

    // Streams that a live one descends from, whether they are live themselves or not.
    void find_carriers()
    {
        for (bool more = true; more;) {
            more = false;
            for (auto const& each : streams_) {
                auto const& from = each.of.metadata.parent;
                bool const carries = !each.retired() || carriers_.contains(each.of.stream.text());
                if (from && carries) more |= carriers_.insert(from->stream).second;
            }
        }
    }

    std::optional<sequence> least_live_fork(stream_id const& parent) const
    {
        std::optional<sequence> least;
        for (auto const& each : streams_) {
            auto const& from = each.of.metadata.parent;
            if (!from || from->stream != parent.text()) continue;
            if (each.retired() && !carriers_.contains(each.of.stream.text())) continue;
            least = std::min(least.value_or(from->seq), from->seq);
        }
        return least;
    }

    task<void> plan()
    {
        find_carriers();
        for (auto& each : streams_) {
            sequence const floor = each.of.metadata.floor;
            each.told.stream = each.of.stream;
            each.told.retired = each.retired();
            each.told.newest = newest_of(each.facts, floor);
            each.told.floor_before = each.told.floor = floor;
            if (each.retired()) continue;
            auto planned = co_await plan_live(each);
            bool const goes_on = planned || leave(each, planned.error());
            if (!goes_on) co_return planned.error();
            count(each);
            due(each.step.due);
        }
        co_return result<void>();
    }

    task<void> plan_live(work& each)
    {
        auto whole = co_await check_whole(each);
        if (!whole) co_return whole.error();
        sequence const floor = each.of.metadata.floor;
        cut_facts facts;
        facts.floor = floor;
        facts.newest = each.told.newest;
        facts.interval = interval_;
        facts.keep = options_.keep;
        facts.by_age = options_.older_than.has_value();
        facts.oldest_kept = above(each.facts.oldest_kept, floor, facts.newest);
        facts.oldest_young = above(each.facts.oldest_young, floor, facts.newest);
        facts.least_live_fork = least_live_fork(each.of.stream);
        sequence const cut = cut_of(facts);
        bool const covered = each.facts.records.count_to(floor) + checkpoints_below(each, floor) != 0;
        each.step = step_of(floor, cut, covered, each.of.last_modified, now_, grace());
        if (each.step.raise) each.told.floor = cut;
        co_return co_await make_ready(each);
    }

    // One stream that cannot be read is left as it is, and keeps none of the others. Who asks for the roots is told at
    // once: they would not be all.
    bool leave(work& each, error const& why) const
    {
        bool const of_content =
            why == errc::corrupt || why == errc::history_gap || why == errc::unsupported || why == errc::limit_exceeded;
        if (roots_ || !of_content) return false;
        each.told.fault = why;
        each.step = floor_step();
        each.told.floor = each.told.floor_before;
        return true;
    }

    bool all_read() const
    {
        return std::ranges::none_of(streams_, [](work const& each) { return each.told.fault.has_value(); });
    }

    // A young void record, or one that a reader keeps, says nothing about what is above the floor.
    static std::optional<sequence> above(std::optional<sequence> seq, sequence floor, sequence newest)
    {
        if (!seq || *seq > newest) return std::nullopt;
        return std::max(*seq, floor.next());
    }

    static sequence newest_of(stream_facts const& facts, sequence floor)
    {
        return std::max(facts.records.newest().value_or(floor), floor);
    }

    static bool has_base(work const& each)
    {
        return each.told.floor == sequence() || each.facts.checkpoints.contains(each.told.floor);
    }

    static bool has_records(work const& each)
    {
        auto const& records = each.facts.records;
        auto const held = records.count_to(each.told.newest) - records.count_to(each.told.floor);
        return held == each.told.newest.value() - each.told.floor.value();
    }

    // A directory may be listed without what was created meanwhile, and with what was created later: a hole counts only
    // if it is there twice.
    task<void> check_whole(work& each)
    {
        bool const whole = has_records(each) && has_base(each);
        if (whole) co_return result<void>();
        auto again = co_await list_stream(store_, each.of.stream, limits_);
        if (!again) co_return again.error();
        each.facts = std::move(*again);
        each.told.newest = newest_of(each.facts, each.told.floor);
        if (!has_records(each)) {
            co_return error(errc::history_gap, diagnostics("cleanup", layout::record_prefix(each.of.stream),
                                                           "a record above the floor is missing, so nothing of the "
                                                           "stream was deleted; see `headwater verify`"));
        }
        co_return co_await check_base(each);
    }

    // Without the floor's checkpoint nothing above it can be read, and its pins are not known.
    task<void> check_base(work const& each)
    {
        if (has_base(each)) co_return result<void>();
        sequence const floor = each.told.floor;
        object_key const key = layout::checkpoint(each.of.stream, floor);
        auto const again = co_await read_life(store_, each.of.stream);
        if (!again) co_return again.error();
        if (again->tag != each.of.tag) {
            co_return error(errc::precondition_failed,
                            diagnostics("cleanup", key.text(), "another cleanup is at work; run it again"));
        }
        co_return error(
            errc::corrupt,
            diagnostics("cleanup", key.text(),
                        "the floor has no checkpoint, so nothing of the stream was deleted; see `headwater verify`"));
    }

    static std::uint64_t checkpoints_below(work const& each, sequence floor)
    {
        if (floor == sequence()) return 0;
        return each.facts.checkpoints.count_to(sequence(floor.value() - 1));
    }

    // What this run deletes, and what the floor that it leaves covers beyond that.
    void count(work& each) const
    {
        if (each.told.fault) return;
        bool const at_once = options_.quiesced;
        sequence const swept = at_once ? each.told.floor : each.told.floor_before;
        if (each.step.sweep || at_once) {
            each.told.records = each.facts.settled_records.count_to(swept);
            each.told.checkpoints = checkpoints_below_settled(each, swept);
        }
        each.told.records_later = each.facts.records.count_to(each.told.floor) - each.told.records;
        each.told.checkpoints_later = checkpoints_below(each, each.told.floor) - each.told.checkpoints;
    }

    static std::uint64_t checkpoints_below_settled(work const& each, sequence floor)
    {
        if (floor == sequence()) return 0;
        return each.facts.settled_checkpoints.count_to(sequence(floor.value() - 1));
    }

    // The cut's checkpoint and set are there and are what the records lead to, before the floor makes them the base.
    // Without `confirm` this only reads, and fails where the other would.
    task<void> make_ready(work& each)
    {
        sequence const cut = each.told.floor;
        bool const swept_as_it_is = each.step.sweep && !(options_.quiesced && each.step.raise);
        if (swept_as_it_is) {
            auto const readable = co_await check_readable(each.of.stream, each.told.floor_before);
            if (!readable) co_return readable.error();
        }
        if (each.step.raise && each.facts.records.contains(cut)) {
            auto const sound = co_await is_as_named(each.of.stream, cut);
            if (!sound) co_return sound.error();
            if (!*sound) {
                auto folded = co_await make_as_folded(each.of.stream, each.told.floor_before, cut);
                if (!folded) co_return folded.error();
            }
            if (options_.confirm) each.facts.checkpoints.add(cut);
        }
        co_return co_await heal_newest_hint(each);
    }

    // By the digest that the record's writer left. Without one only the records can tell.
    task<bool> is_as_named(stream_id stream, sequence cut)
    {
        auto const page = co_await read_records(store_, stream, cut, 1);
        if (!page) co_return page.error();
        auto const& last = page->front();
        if (!last) co_return last.error();
        if (!last->state_digest) co_return false;
        co_return co_await stands(stream, cut, last->id, *last->state_digest);
    }

    task<void> make_as_folded(stream_id stream, sequence floor, sequence cut)
    {
        auto content = co_await fold_records(store_, stream, floor, cut);
        if (!content) co_return content.error();
        if (!options_.confirm) co_return result<void>();
        auto const healed = co_await heal_checkpoint(store_, *content, stream, interval_);
        if (!healed) co_return healed.error();
        auto const right = co_await stands(stream, cut, *content->header().head_commit_id, content->digest());
        if (!right) co_return right.error();
        if (*right) co_return result<void>();
        co_return error(errc::corrupt, diagnostics("cleanup", layout::checkpoint(stream, cut).text(),
                                                   "the checkpoint at the cut cannot be made right"));
    }

    // Whether a checkpoint of that state stands there, with its set.
    task<bool> stands(stream_id stream, sequence cut, commit_id id, set_digest digest)
    {
        auto const found = co_await read_checkpoint(store_, stream, cut);
        if (!found) co_return found.error();
        if (!found->verified || found->verified->header().head_commit_id != id) co_return false;
        if (found->verified->digest() != digest) co_return false;
        if (!options_.confirm) co_return true;
        auto const set = co_await heal_set(store_, *found->verified, stream, interval_);
        if (!set) co_return set.error();
        co_return *set == healed::whole;
    }

    task<void> heal_newest_hint(work& each)
    {
        sequence const newest = each.told.newest;
        if (newest <= each.told.floor_before) co_return result<void>();
        auto last = std::exchange(each.newest, std::nullopt);
        if (!last || last->seq != newest) {
            auto page = co_await read_records(store_, each.of.stream, newest, 1);
            if (!page) co_return page.error();
            if (!page->front()) co_return page->front().error();
            last = std::move(*page->front());
        }
        if (!options_.confirm) co_return result<void>();
        auto const beside = facts_for_hint(newest, &*last, interval_, each.facts.checkpoints);
        hint const right = right_hint(*last, beside);
        auto const done = co_await heal_hint(store_, each.of.stream, right, beside);
        if (!done) co_return done.error();
        if (*done == healed::written) ++report_.hints;
        co_return result<void>();
    }

    // --- what is named -----------------------------------------------------------------------------------------------

    bool must_walk() const
    {
        if (roots_ || !sets_.empty() || !schemas_.empty()) return true;
        return std::ranges::any_of(streams_, [](work const& each) { return each.retired() && !each.empty(); });
    }

    // All that stays must be readable before a floor moves.
    task<void> read_retained()
    {
        for (auto& each : streams_) {
            if (each.retired() || each.told.fault) continue;
            sequence const swept = options_.quiesced ? each.told.floor : each.told.floor_before;
            retained_part part;
            part.records_above = options_.confirm ? swept : each.told.floor_before;
            part.roots_above = options_.confirm ? each.told.floor : each.told.floor_before;
            part.checkpoints_from = options_.confirm && (each.step.sweep || options_.quiesced) ? swept : sequence();
            part.newest = each.told.newest;
            part.may_grow = true;
            auto walked = co_await walk_.walk(each.of.stream, each.facts, interval_, part);
            bool const goes_on = walked || leave_after_all(each, walked.error());
            if (!goes_on) co_return walked.error();
        }
        // What stays for now names all that it has for now: a commit that adopted it may have come after its target was
        // read.
        for (auto& each : streams_) {
            if (!each.retired() || stood(each)) continue;
            auto walked = co_await walk_retired(each);
            bool const goes_on = walked || leave(each, walked.error());
            if (!goes_on) co_return walked.error();
        }
        co_return co_await pin_retired();
    }

    // Found out once its floor was planned: what that would have deleted is not counted.
    bool leave_after_all(work& each, error const& why) const
    {
        if (!leave(each, why)) return false;
        each.told.records = each.told.checkpoints = each.told.records_later = each.told.checkpoints_later = 0;
        return true;
    }

    // A retired stream that something kept names stays too, and so does what it names.
    task<void> pin_retired()
    {
        for (bool more = true; more;) {
            more = false;
            for (auto& each : streams_) {
                if (!each.retired() || each.told.pinned || !is_named(each.of.stream)) continue;
                each.told.pinned = more = true;
                if (!stood(each)) continue;
                auto walked = co_await walk_retired(each);
                bool const goes_on = walked || leave(each, walked.error());
                if (!goes_on) co_return walked.error();
            }
        }
        co_return result<void>();
    }

    // What came to be while the floors were raised: newer records and checkpoints, new streams, and the checkpoints of
    // creations that are under way.
    task<void> look_again()
    {
        auto streams = co_await list_streams(store_, nullptr);
        if (!streams) co_return streams.error();
        auto const folders = co_await list_folders(store_, nullptr);
        if (!folders) co_return folders.error();
        std::vector<stream_id> all;
        std::ranges::set_union(*streams, *folders, std::back_inserter(all));
        for (auto const& stream : all) {
            auto const known = std::ranges::find(streams_, stream,
                                                 [](work const& each) -> stream_id const& { return each.of.stream; });
            bool const leaves = known != streams_.end() && (known->retired() || known->told.fault);
            if (leaves) continue;
            auto facts = co_await list_stream(store_, stream, limits_);
            if (!facts) co_return facts.error();
            auto looked = known != streams_.end() ? walk_news(*known, std::move(*facts))
                                                  : walk_newcomer(stream, std::move(*facts));
            auto const done = co_await std::move(looked);
            if (!done) co_return done.error();
        }
        co_return co_await pin_retired();
    }

    // From the newest checkpoint on: it says where the tables lie that the records after it pin.
    task<void> walk_news(work& known, stream_facts now)
    {
        sequence const newest = std::max(now.records.newest().value_or(known.told.newest), known.told.newest);
        retained_part part;
        part.newest = newest;
        part.records_above =
            std::max(known.facts.checkpoints.last_to(known.told.newest).value_or(sequence()), known.told.floor_before);
        part.roots_above = std::max(part.records_above, known.told.floor);
        part.may_grow = true;
        part.seen = &known.facts.checkpoints;
        part.checkpoints_from = known.told.floor_before;
        auto const below =
            part.checkpoints_from == sequence() ? sequence() : sequence(part.checkpoints_from.value() - 1);
        auto const standing = [&](seq_runs const& all) { return all.count_to(last_sequence) - all.count_to(below); };
        bool const unchanged =
            newest == known.told.newest && standing(now.checkpoints) == standing(known.facts.checkpoints);
        if (unchanged) co_return result<void>();
        auto const walked = co_await walk_.walk(known.of.stream, now, interval_, part);
        if (!walked) co_return walked.error();
        known.told.newest = newest;
        known.facts.checkpoints = std::move(now.checkpoints);
        co_return result<void>();
    }

    task<void> walk_newcomer(stream_id stream, stream_facts now)
    {
        retained_part part;
        work late;
        auto read = co_await read_life(store_, stream);
        if (!read && !(read.error() == errc::not_found)) co_return read.error();
        if (!read) {
            if (auto begun = check_never_began(stream, now); !begun) co_return begun.error();
            part.may_grow = false;
            co_return co_await walk_.walk(std::move(stream), now, interval_, part);
        }
        late.of = std::move(*read);
        late.told.stream = stream;
        late.told.floor = late.told.floor_before = late.of.metadata.floor;
        late.told.newest = newest_of(now, late.told.floor);
        late.told.retired = late.retired();
        late.facts = std::move(now);
        part.records_above = part.roots_above = late.told.floor;
        part.newest = late.told.newest;
        part.may_grow = true;
        auto const walked = co_await walk_.walk(std::move(stream), late.facts, interval_, part);
        if (!walked) co_return walked.error();
        streams_.push_back(std::move(late));
        co_return result<void>();
    }

    task<void> walk_retired(work& each)
    {
        retained_part part;
        part.newest = each.told.newest;
        part.may_lack = true;
        // Before the first one there may be nothing for a long way.
        auto const first = each.facts.records.first_from(each.told.floor.next());
        part.records_above = part.roots_above = first ? sequence(first->value() - 1) : part.newest;
        co_return co_await walk_.walk(each.of.stream, each.facts, interval_, part);
    }

    // By a live child, by a kept lineage, or by a retired stream that is itself named.
    bool is_named(stream_id const& stream) const
    {
        if (walk_.sources().contains(stream.text())) return true;
        return std::ranges::any_of(streams_, [&](work const& each) {
            bool const kept = !each.retired() || each.told.pinned;
            return kept && each.of.metadata.parent && each.of.metadata.parent->stream == stream.text();
        });
    }

    bool stood(work const& each) const
    {
        return options_.quiesced || now_ - each.of.last_modified.value_or(now_) >= min_age;
    }

    void plan_retired()
    {
        for (auto& each : streams_) {
            if (!each.retired() || each.told.pinned || each.empty()) continue;
            auto const all = last_sequence;
            if (!stood(each)) {
                each.told.records_later = each.facts.records.count_to(all);
                each.told.checkpoints_later = each.facts.checkpoints.count_to(all);
                due(each.of.last_modified.value_or(now_) + min_age);
                continue;
            }
            each.step.sweep = true;
            each.told.records = each.facts.settled_records.count_to(all);
            each.told.checkpoints = each.facts.settled_checkpoints.count_to(all);
        }
    }

    // --- doing it ----------------------------------------------------------------------------------------------------

    // What the floors covered that had stood goes first, stream by stream; one that a rival holds back keeps none of
    // the others.
    task<void> move_floors()
    {
        for (auto& each : streams_) {
            if (options_.quiesced || each.retired() || !each.step.sweep) continue;
            auto const swept = co_await sweep_live(each, each.told.floor_before);
            if (!swept) co_return swept.error();
        }
        result<void> out;
        for (auto& each : streams_) {
            if (!each.step.raise) continue;
            auto const raised = co_await raise(each);
            bool const refused = !raised && raised.error() == errc::precondition_failed;
            if (!raised && !refused) co_return raised.error();
            if (refused) out = raised.error();
        }
        co_return out;
    }

    // A floor that somebody else raised as far or further is left as it is, so that it does not look young.
    task<void> raise(work& each)
    {
        stream_metadata next = each.of.metadata;
        next.floor = each.told.floor;
        auto encoded = encode(next);
        if (!encoded) co_return encoded.error();
        object_key const key = layout::metadata(each.of.stream);
        auto const raised = co_await store_.put_if_match(key, *encoded, each.of.tag);
        if (raised) co_return result<void>();
        if (!(raised.error() == errc::precondition_failed)) co_return raised.error();
        auto const now = co_await read_life(store_, each.of.stream);
        if (!now) co_return now.error();
        bool const done = !now->metadata.retired && now->metadata.floor >= next.floor;
        if (done) co_return result<void>();
        co_return error(
            errc::precondition_failed,
            diagnostics("cleanup", key.text(), "the stream's metadata changed meanwhile; run the cleanup again"));
    }

    // With nobody else at work a new floor is swept at once; a retired stream goes when nothing was found to name it.
    task<void> sweep_last()
    {
        for (auto& each : streams_) {
            bool const at_once = options_.quiesced && (each.step.sweep || each.step.raise);
            if (!each.retired() && !at_once) continue;
            auto done = each.retired() ? sweep_retired(each) : sweep_live(each, each.told.floor);
            auto const ended = co_await std::move(done);
            if (!ended) co_return ended.error();
        }
        co_return result<void>();
    }

    task<void> sweep_live(work& each, sequence floor)
    {
        auto readable = co_await check_readable(each.of.stream, floor);
        if (!readable) co_return readable.error();
        co_return co_await sweep(each, floor);
    }

    // What lies below a floor can make its checkpoint again, so it stays until that can be read, with its set.
    task<void> check_readable(stream_id stream, sequence floor)
    {
        if (floor == sequence()) co_return result<void>();
        auto const found = co_await read_checkpoint(store_, stream, floor);
        if (!found) co_return found.error();
        if (!found->verified) {
            co_return error(errc::corrupt,
                            diagnostics("cleanup", layout::checkpoint(stream, floor).text(),
                                        "the floor's checkpoint cannot be read, so nothing below it was deleted; "
                                        "`headwater repair --confirm` makes it again"));
        }
        if (!options_.confirm) co_return result<void>();
        auto const set = co_await heal_set(store_, *found->verified, stream, interval_);
        if (!set) co_return set.error();
        co_return result<void>();
    }

    task<void> sweep(work& each, sequence floor)
    {
        auto records = co_await remove_records(each, floor);
        if (!records) co_return records.error();
        if (floor == sequence()) co_return result<void>();
        co_return co_await remove_checkpoints(each, sequence(floor.value() - 1));
    }

    task<void> sweep_retired(work& each)
    {
        if (!each.step.sweep) co_return result<void>();
        if (each.facts.hint && !each.facts.young) {
            object_key const key = layout::hint(each.of.stream);
            auto const gone = co_await store_.remove(key);
            if (!gone) co_return gone.error();
        }
        auto records = co_await remove_records(each, last_sequence);
        if (!records) co_return records.error();
        co_return co_await remove_checkpoints(each, last_sequence);
    }

    task<void> remove_records(work const& each, sequence last)
    {
        std::vector<object_key> keys;
        auto next = each.facts.settled_records.first_from(sequence());
        while (next && *next <= last) {
            keys.push_back(layout::record(each.of.stream, *next));
            next = each.facts.settled_records.first_from(next->next());
            // A prefix of the oldest, but for one batch, is always gone first.
            if (keys.size() != max_remove_keys && next && *next <= last) continue;
            auto gone = co_await remove_all(std::move(keys), max_removals);
            if (!gone) co_return gone.error();
            keys = std::vector<object_key>();
        }
        co_return result<void>();
    }

    task<void> remove_checkpoints(work const& each, sequence last)
    {
        std::vector<object_key> keys;
        auto next = each.facts.settled_checkpoints.first_from(sequence());
        for (; next && *next <= last; next = each.facts.settled_checkpoints.first_from(next->next())) {
            keys.push_back(layout::checkpoint(each.of.stream, *next));
        }
        co_return co_await remove_all(std::move(keys), max_removals);
    }

    /// What never comes back under its name may be removed again when the outcome is unknown, up to `turns` times.
    task<void> remove_all(std::vector<object_key> keys, unsigned turns)
    {
        for (std::size_t at = 0; at < keys.size(); at += max_remove_keys) {
            auto const first = keys.begin() + static_cast<std::ptrdiff_t>(at);
            auto const count = std::min(max_remove_keys, keys.size() - at);
            std::vector<object_key> batch(first, first + static_cast<std::ptrdiff_t>(count));
            for (unsigned turn = 1; !batch.empty(); ++turn) {
                auto attempt = batch;
                auto const gone = co_await store_.remove_many(std::move(attempt));
                if (!gone) co_return gone.error();
                batch.clear();
                for (auto const& each : gone->failed) {
                    if (turn == turns || !(each.why == errc::outcome_unknown)) co_return each.why;
                    batch.push_back(each.key);
                }
            }
        }
        co_return result<void>();
    }

    bool is_named_schema(std::string const& digest) const { return walk_.schemas().contains(digest); }
    bool is_named_set(std::string const& digest) const
    {
        return !walk_.sets_complete() || walk_.sets().contains(digest);
    }

    // Sweeping may have taken long, and a commit may name an old schema again: looked at once more, right before.
    task<void> sweep_orphans()
    {
        bool const may_go = std::ranges::any_of(schemas_, [&](auto const& each) { return !is_named_schema(each); })
                            || std::ranges::any_of(sets_, [&](auto const& each) { return !is_named_set(each); });
        if (options_.confirm && may_go) {
            auto const named = co_await look_again();
            if (!named) co_return named.error();
            auto const old = co_await keep_old_schemas();
            if (!old) co_return old.error();
        }
        std::vector<object_key> orphans;
        for (auto const& digest : sets_) {
            if (is_named_set(digest)) continue;
            ++report_.tombstone_sets;
            orphans.push_back(layout::tombstones(digest));
        }
        for (auto const& digest : schemas_) {
            if (is_named_schema(digest)) continue;
            ++report_.schemas;
            orphans.push_back(layout::schema(digest));
        }
        report_.leftovers = leftovers_.size();
        if (!options_.confirm) co_return result<void>();
        auto const gone = co_await remove_all(std::move(orphans), 1);
        if (!gone) co_return gone.error();
        co_return co_await remove_all(std::move(leftovers_), max_removals);
    }

    // Of those that nothing names: one that is gone, or that is young, somebody else has had to do with since.
    task<void> keep_old_schemas()
    {
        std::vector<std::string> old;
        for (auto const& digest : schemas_) {
            if (is_named_schema(digest)) continue;
            object_key const key = layout::schema(digest);
            auto const there = co_await store_.head(key);
            bool const gone = !there && there.error() == errc::not_found;
            if (!there && !gone) co_return there.error();
            if (there && !is_young(*there)) old.push_back(digest);
        }
        schemas_ = std::move(old);
        co_return result<void>();
    }

    object_store& store_;
    clock& time_;
    cleanup_options const options_;
    root_sink const& roots_;
    retained_walk walk_;
    std::uint64_t interval_ = 1;
    time_ms now_{};
    std::chrono::nanoseconds opened_at_{};
    age_limits limits_;
    std::vector<std::string> sets_;
    std::vector<std::string> schemas_;
    std::vector<object_key> leftovers_;
    std::vector<work> streams_;
    std::set<std::string> carriers_;
    cleanup_report report_;
};

// What a later pass did, added to what an earlier one did.
void add(cleanup_report& sum, cleanup_report const& later)
{
    for (auto const& each : later.streams) {
        auto const at = std::ranges::find(sum.streams, each.stream, &stream_cleanup::stream);
        if (at == sum.streams.end()) {
            sum.streams.push_back(each);
            continue;
        }
        at->records += each.records;
        at->checkpoints += each.checkpoints;
        at->newest = each.newest;
        at->floor = each.floor;
        at->records_later = each.records_later;
        at->checkpoints_later = each.checkpoints_later;
        at->fault = each.fault;
    }
    sum.tombstone_sets += later.tombstone_sets;
    sum.schemas += later.schemas;
    sum.leftovers += later.leftovers;
    sum.hints += later.hints;
    sum.due = later.due;
}

}  // namespace

bool cleanup_report::corrupt() const noexcept
{
    return std::ranges::any_of(streams, [](stream_cleanup const& each) { return each.fault.has_value(); });
}

task<cleanup_report> cleanup(object_store& store, clock& time, cleanup_options options, root_sink roots)
{
    auto const can = store.capabilities();
    if (!can.conditional_update || !can.list_allowed) {
        co_return error(errc::unsupported, store.address() + " cannot update under a condition and list: no cleanup");
    }
    if (options.keep == 0) co_return error(errc::invalid_argument, "at least 1 record must be kept");
    meter counts;
    auto const counted = make_metered_store(store, counts);
    cleanup_run first(*counted, time, options, roots);
    auto report = co_await first.run();
    if (!report) co_return report.error();
    auto now = first.store_now();
    // Later passes only sweep, so that a busy graph does not keep this one for ever.
    options.keep.reset();
    options.older_than.reset();
    root_sink const none;
    // After the last wait the report still says when the rest may go.
    for (unsigned waits = 0; options.confirm && options.wait && report->due && waits != max_waits; ++waits) {
        co_await time.sleep_for(wait_for(*report->due, now));
        cleanup_run again(*counted, time, options, none);
        auto later = co_await again.run();
        if (!later) co_return later.error();
        now = again.store_now();
        add(*report, *later);
    }
    report->spent = counts.total();
    co_return report;
}

}  // namespace headwater
