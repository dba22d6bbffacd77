// Prepares, creates, settles; then the checkpoint and the hint. What an answer means is publish_step's to say.
#include <headwater/publisher.hpp>

#include "src/base/backoff.hpp"
#include "src/base/sha256.hpp"
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"
#include "src/log/dropped.hpp"
#include "src/log/intent_check.hpp"
#include "src/log/key_window.hpp"
#include "src/log/lineage_check.hpp"
#include "src/log/open_stream.hpp"
#include "src/log/publish_step.hpp"
#include "src/log/retirement.hpp"
#include "src/log/schema_archive.hpp"

#include <headwater/hint.hpp>
#include <headwater/probe.hpp>
#include <headwater/resolve.hpp>

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headwater {

namespace {

/// The waits between plans after a lost race, and between requests while an outcome is pursued.
constexpr std::chrono::milliseconds contention_base{2};
constexpr std::chrono::milliseconds contention_cap{500};
constexpr std::chrono::milliseconds settle_base{25};
constexpr std::chrono::milliseconds settle_cap{2'000};

/// One commit, ready to send.
class prepared_commit {
public:
    prepared_commit() = default;

    record value;
    bytes content;
    state after;
    bool checkpoint_due = false;
};

/// How the slot was decided.
class slot_outcome {
public:
    slot_outcome() = default;

    publish_action verdict = publish_action::in_doubt;
    bool earlier_unknown = false;  // A create of ours ended without an answer.
    bytes winner;                  // On conflict.
    error why;                     // On failure and doubt.
};

slot_answer read_create(result<create_answer> const& answer, bool& earlier_unknown)
{
    if (answer) {
        earlier_unknown |= answer->earlier_unknown;
        return answer->created ? slot_answer::created : slot_answer::exists;
    }
    if (answer.error() == errc::outcome_unknown) {
        earlier_unknown = true;
        return slot_answer::unknown;
    }
    bool const answered = answer.error().why() && answer.error().why()->status != 0;
    return answer.error() == errc::unavailable && answered ? slot_answer::not_settled : slot_answer::refused;
}

slot_answer read_slot(result<object> const& answer, bytes const& ours)
{
    if (answer) return answer->content == ours ? slot_answer::read_same : slot_answer::read_other;
    return answer.error() == errc::not_found ? slot_answer::read_absent : slot_answer::read_failed;
}

std::string text_or_empty(std::optional<commit_id> const& id) { return id ? id->text() : std::string(); }

error unexpected(std::optional<commit_id> const& expected, snapshot const& now)
{
    auto const named = [](std::optional<commit_id> const& id) { return id ? "commit " + id->text() : "no commit"; };
    diagnostics why("publish", "", "the newest is " + named(now.id()) + ", expected was " + named(expected));
    why.facts.emplace_back("expected", text_or_empty(expected));
    why.facts.emplace_back("actual", text_or_empty(now.id()));
    return {errc::conflict, std::move(why)};
}

commit_receipt earlier_commit(position at, std::uint32_t attempts, cost spent)
{
    commit_receipt out;
    out.at = std::move(at);
    out.repeated = true;
    out.attempts = attempts;
    out.spent = spent;
    return out;
}

error conflict_with(snapshot const& base, std::string const& actual)
{
    diagnostics why("publish", layout::record(base.stream(), base.seq().next()).text(),
                    "seq " + std::to_string(base.seq().next().value()) + " was taken by commit " + actual);
    why.facts.emplace_back("expected", text_or_empty(base.id()));
    why.facts.emplace_back("actual", actual);
    return {errc::conflict, std::move(why)};
}

result<void> check_unused(std::vector<registration> const& wanted, std::vector<tombstone> const& used)
{
    for (auto const& each : wanted) {
        if (std::ranges::find(used, each.table, &tombstone::table) == used.end()) continue;
        auto const verdict = judge(head_state::tombstoned, head_event::registration);
        return error(errc::invalid_argument, refusal_text(head_event::registration, each.table, verdict, nullptr));
    }
    return {};
}

}  // namespace

class publisher::impl {
public:
    impl(open_stream of, random& chance, publisher_options options)
        : stream_(std::move(of)), chance_(chance), options_(options)
    {
    }

    task<snapshot> current() { return stream_.current(); }

    task<commit_receipt> publish(plan prepare)
    {
        if (options_.max_prepares == 0) co_return error(errc::invalid_argument, "max_prepares is at least 1");
        error lost;
        cost reading;
        fetched from(stream_.store());
        for (std::uint32_t attempt = 1; attempt <= options_.max_prepares; ++attempt) {
            if (attempt > 1) {
                auto const wait = full_jitter(contention_base, contention_cap, attempt - 2, chance_.next());
                co_await stream_.time().sleep_for(wait);
            }
            // One lost race leaves the winner folded on; a second says that there are more of them. They go on during
            // the wait, so that only what is read after it is worth a plan.
            if (!stream_.held() || attempt > 2) {
                auto now = co_await stream_.current();
                if (!now) co_return now.error();
                reading = reading + now->spent();
            }
            auto wanted = prepare(*stream_.held());
            if (!wanted) co_return wanted.error();
            if (auto keyed = check_idempotency_key(*wanted); !keyed) co_return keyed.error();
            snapshot const base = *stream_.held();
            auto earlier = co_await find_earlier(wanted->idempotency_key, base, reading);
            if (!earlier) co_return earlier.error();
            if (*earlier) co_return earlier_commit(std::move(**earlier), attempt, reading + from.spent());
            auto done = co_await try_once(from, base, std::move(*wanted));
            if (done) {
                done->attempts = attempt;
                done->spent = reading + done->spent;
            }
            if (done || !(done.error() == errc::conflict)) co_return done;
            lost = done.error();
        }
        co_return with(lost, [&](diagnostics& why) {
            why.detail += "; max_prepares (" + std::to_string(options_.max_prepares) + ") reached, try again later";
        });
    }

    task<commit_receipt> publish_at(snapshot base, intent wanted)
    {
        if (auto keyed = check_idempotency_key(wanted); !keyed) co_return keyed.error();
        cost reading;
        auto const key = wanted.idempotency_key;
        auto earlier = co_await find_earlier(key, base, reading);
        if (!earlier) co_return earlier.error();
        if (*earlier) co_return earlier_commit(std::move(**earlier), 1, reading);
        fetched from(stream_.store());
        auto const its_life = base.stream();
        auto done = co_await try_once(from, std::move(base), std::move(wanted));
        // In another life the same key is another's.
        if (!done && done.error() == errc::conflict && key && its_life == stream_.known().stream) {
            co_return co_await explain_conflict(*key, done.error(), reading + from.spent());
        }
        if (!done) co_return done;
        done->attempts = 1;
        done->spent = reading + done->spent;
        co_return done;
    }

    task<commit_receipt> publish_on(std::optional<commit_id> expected, intent wanted)
    {
        if (auto keyed = check_idempotency_key(wanted); !keyed) co_return keyed.error();
        auto now = co_await stream_.current();
        if (!now) co_return now.error();
        auto reading = now->spent();
        auto earlier = co_await find_earlier(wanted.idempotency_key, *now, reading);
        if (!earlier) co_return earlier.error();
        if (*earlier) co_return earlier_commit(std::move(**earlier), 1, reading);
        if (now->id() != expected) co_return unexpected(expected, *now);
        auto done = co_await publish_at(std::move(*now), std::move(wanted));
        if (done) done->spent = reading + done->spent;
        co_return done;
    }

    task<life> retire(std::string by, std::optional<position> expected)
    {
        may_retire_ = true;
        plan ends = [&](snapshot const& now) -> result<intent> {
            if (expected && now.at() != *expected) return unexpected(expected->id, now);
            intent out;
            out.actor = by;
            out.origin.emplace().kind = lineage::kind_type::retire;
            return out;
        };
        auto const done = co_await publish(std::move(ends));
        if (!done && !(done.error() == errc::branch_retired)) co_return done.error();
        auto of = stream_.opened_life();
        auto const& ending = stream_.ending();
        if (ending) {
            auto const proven = co_await demand(stream_.store());
            if (!proven) co_return proven.error();
        }
        // Without one another handle had recorded the end.
        auto finish = ending ? end_life(stream_.store(), std::move(of), *ending)
                             : read_life(stream_.store(), std::move(of.stream));
        auto ended = co_await std::move(finish);
        if (!ended || !expected || !ended->metadata.retired) co_return ended;
        auto const last = ended->metadata.retired->final_seq;
        if (last == expected->seq.next()) co_return ended;
        stream_.allow_ended();
        auto const end = co_await stream_.record_at(last);
        diagnostics why("publish", layout::record(expected->stream, last).text(),
                        "the branch had gone on from seq " + std::to_string(expected->seq.value())
                            + " before somebody else ended it");
        why.facts.emplace_back("expected", text_or_empty(expected->id));
        why.facts.emplace_back("actual", end ? end->id.text() : std::string());
        co_return error(errc::conflict, std::move(why));
    }

    task<cost> upkeep()
    {
        if (!pending_) co_return cost();
        fetched from(stream_.store());
        if (archive_due_) {
            auto settled = co_await schemas_.settle(from, stream_.time());
            if (!settled) co_return settled.error();
            archive_due_ = false;
        }
        snapshot const newest = *pending_;
        pending_.reset();
        state content = newest.content();
        if (checkpoint_due_) {
            auto written = co_await checkpoints_.write(from, content, newest.stream(), interval(), stream_.time());
            if (!written && written.error() == errc::history_gap) {
                auto again = co_await stream_.renew(newest);
                if (!again) co_return again.error();
                content = again->content();
                written = co_await checkpoints_.write(from, content, newest.stream(), interval(), stream_.time());
            }
            if (!written) co_return written.error();
            content.rebase(interval());
            auto shared = std::make_shared<state const>(content);
            if (stream_.held() && stream_.held()->at() == newest.at()) {
                stream_.hold(snapshot(newest.stream(), std::move(shared), newest.degraded(), newest.spent()));
            }
        }
        auto const now = stream_.time().since_boot();
        bool const too_soon = hinted_ && now - *hinted_ < options_.hint_interval;
        if (too_soon) co_return from.spent();
        hinted_ = now;
        auto hinted = co_await write_hint(from, hint{content.header().seq, content.base()});
        if (!hinted) co_return hinted.error();
        co_return from.spent();
    }

private:
    // The commit at or below `base` that has the key.
    task<std::optional<position>> find_earlier(std::optional<std::string> key, snapshot base, cost& spent)
    {
        if (!key) co_return std::optional<position>();
        fetched from(stream_.store());
        auto opened = co_await stream_.refresh(from);
        spent = spent + from.spent();
        if (!opened) co_return opened.error();
        // The publish that follows says that the branch has another life.
        if (base.stream() != stream_.known().stream) co_return std::optional<position>();
        for (;;) {
            auto const stream = stream_.known().stream;
            auto const floor = stream_.known().metadata.floor;
            auto found = co_await keys_.find(stream_.store(), stream, floor, base.seq(), *key, spent);
            if (found || !(found.error() == errc::history_gap)) co_return found;
            auto const rose = co_await stream_.floor_rose(from);
            if (!rose) co_return rose.error();
            if (!*rose) co_return found;  // Each time the floor is higher.
        }
    }

    // A lost race may have been lost to the same key.
    task<commit_receipt> explain_conflict(std::string key, error lost, cost reading)
    {
        auto now = co_await stream_.current();
        if (!now) co_return now.error();
        reading = reading + now->spent();
        std::optional<std::string> wanted = std::move(key);
        auto earlier = co_await find_earlier(std::move(wanted), *now, reading);
        if (!earlier) co_return earlier.error();
        if (*earlier) co_return earlier_commit(std::move(**earlier), 1, reading);
        co_return lost;
    }

    // What a store must have proved before this writes to it.
    task<void> demand(object_store& store) const
    {
        if (!options_.proofs) co_return result<void>();
        auto const what = may_retire_ ? proof_of::updates : proof_of::creates;
        co_return co_await options_.proofs->demand(store, what);
    }

    std::uint64_t interval() const { return stream_.known().format.checkpoint_interval; }

    task<commit_receipt> try_once(fetched& from, snapshot base, intent wanted)
    {
        if (pending_) {
            // Best effort by its nature: a hint or checkpoint that fails costs the next reader time, nothing else.
            auto const late = co_await upkeep();
            (void)late;
        }
        auto opened = co_await stream_.refresh(from);
        if (!opened) co_return opened.error();
        if (base.stream() != stream_.known().stream) co_return co_await other_life(std::move(base));
        if (base.seq() < stream_.known().metadata.floor) co_return co_await void_base(std::move(base));
        if (auto settled = co_await settle_origin(from, base, wanted.origin); !settled) co_return settled.error();
        if (auto unused = co_await check_registrations(from, base, wanted.registrations); !unused)
            co_return unused.error();
        auto const schema_content = std::move(wanted.schema_content);
        auto commit = prepare(base, std::move(wanted));
        if (!commit) co_return commit.error();
        auto const proven = co_await demand(from.store());
        if (!proven) co_return proven.error();
        if (schema_content) {
            bool const named = commit->value.schema == base.schema();
            auto archived = co_await archive(from, commit->value.schema, *schema_content, named);
            if (!archived) co_return archived.error();
        }
        position const at = position_of(*commit);
        bytes const content = commit->content;
        try {
            co_return co_await place(from, std::move(base), std::move(*commit), schema_content.has_value());
        } catch (boost::system::system_error const& cancelled) {
            if (cancelled.code() != boost::asio::error::operation_aborted) throw;
            error const why = in_doubt(at, content, cancelled.code());
            throw failure(error(cancelled.code(), *why.why()));
        }
    }

    // From the create to the receipt: wherever this is cancelled, the commit may stand.
    task<commit_receipt> place(fetched& from, snapshot base, prepared_commit commit, bool archived)
    {
        auto const first_sent = stream_.known().reckoned_now(stream_.time());
        auto outcome = co_await decide_slot(from, commit);
        bool const decided = outcome.verdict == publish_action::succeed || outcome.verdict == publish_action::conflict;
        if (!decided) co_return outcome.why;
        // "Created" and "exists" count only beside young metadata (FORMAT section 4, Floor).
        auto fresh = co_await stream_.refresh(from);
        if (!fresh && may_be_swept(commit, outcome, first_sent)) co_return pruned_since(commit);
        if (!fresh && !stands_in_retired(commit, outcome))
            co_return after_refused_refresh(commit, outcome, fresh.error());
        if (commit.value.seq <= stream_.known().metadata.floor)
            co_return co_await void_slot(std::move(base), commit, outcome, first_sent);
        if (outcome.verdict == publish_action::conflict) {
            auto const lost = fold_winner(base, outcome.winner);
            co_await stream_.finish_ending(from);
            co_return lost;
        }
        auto receipt = accept(from, std::move(commit));
        if (!archived) co_return receipt;
        // The commit stands whatever becomes of this: where it fails, `upkeep` tries again and tells.
        auto const settled = co_await schemas_.settle(from, stream_.time());
        archive_due_ = !settled;
        receipt.spent = from.spent();
        co_return receipt;
    }

    // What a retire record has for a lineage names no commit.
    task<void> settle_origin(fetched& through, snapshot const& base, std::optional<lineage>& origin)
    {
        if (!origin || origin->kind == lineage::kind_type::retire) co_return result<void>();
        if (auto possible = check_lineage(*origin, base.at()); !possible) co_return possible.error();
        auto settled = co_await settle_lineage(through.store(), stream_.time(), *origin);
        if (!settled) co_return settled.error();
        origin = std::move(*settled);
        co_return result<void>();
    }

    task<void> archive(fetched& through, std::optional<schema_identity> schema, bytes content, bool named)
    {
        auto digest = check_schema_content(schema, content);
        if (!digest) co_return digest.error();
        co_return co_await schemas_.keep(through, stream_.time(), std::move(*digest), std::move(content), named);
    }

    // A conflict of a base that no slot was asked for: the newest commit is read, to be named.
    boost::asio::awaitable<error> lost_base(snapshot base, diagnostics why)
    {
        stream_.forget();
        auto const now = co_await stream_.current();
        if (!now) co_return now.error();
        why.facts.emplace(why.facts.begin(), "actual", text_or_empty(now->id()));
        why.facts.emplace(why.facts.begin(), "expected", text_or_empty(base.id()));
        co_return error(errc::conflict, std::move(why));
    }

    boost::asio::awaitable<error> other_life(snapshot base)
    {
        diagnostics why("publish", layout::metadata(base.stream()).text(),
                        "the snapshot is of stream " + base.stream().text() + ", the branch is now "
                            + stream_.known().stream.text());
        return lost_base(std::move(base), std::move(why));
    }

    boost::asio::awaitable<error> void_base(snapshot base)
    {
        auto const floor = std::to_string(stream_.known().metadata.floor.value());
        diagnostics why("publish", layout::metadata(base.stream()).text(),
                        "the snapshot at seq " + std::to_string(base.seq().value()) + " is below the floor " + floor
                            + ", or its successor is; read the newest state again");
        why.facts.emplace_back("floor", floor);
        return lost_base(std::move(base), std::move(why));
    }

    // A create at or below the floor went into a pruned slot.
    boost::asio::awaitable<error> void_slot(snapshot base, prepared_commit const& commit, slot_outcome const& outcome,
                                            moment first_sent)
    {
        auto const verdict = after_floor(outcome.verdict, outcome.earlier_unknown, sent_lately(first_sent));
        if (verdict == publish_action::conflict) co_return co_await void_base(std::move(base));
        co_return pruned_since(commit);
    }

    // No cleanup can have swept a slot since.
    bool sent_lately(moment first_sent)
    {
        return first_sent.until(stream_.known().reckoned_now(stream_.time())) < min_age;
    }

    error pruned_since(prepared_commit const& commit)
    {
        stream_.forget();
        diagnostics why("publish", layout::record(stream_.known().stream, commit.value.seq).text(),
                        "commit " + commit.value.id.text() + " may have been published; its history has been pruned");
        return {errc::outcome_unknown, std::move(why)};
    }

    // Beside retired metadata a create stands below the final record.
    bool is_in_retired(prepared_commit const& commit) const
    {
        return stream_.retired() && commit.value.seq < stream_.retired()->final_seq;  // The floor is looked at next.
    }
    bool stands_in_retired(prepared_commit const& commit, slot_outcome const& outcome) const
    {
        return outcome.verdict == publish_action::succeed && is_in_retired(commit);
    }
    // A retired stream is swept without a floor, and what is created there late stands alone.
    bool may_be_swept(prepared_commit const& commit, slot_outcome const& outcome, moment first_sent)
    {
        if (!is_in_retired(commit)) return false;
        bool const lately = sent_lately(first_sent);
        return !lately && after_floor(outcome.verdict, outcome.earlier_unknown, lately) == publish_action::in_doubt;
    }

    error after_refused_refresh(prepared_commit const& commit, slot_outcome const& outcome, error const& why) const
    {
        bool const ended = why == errc::branch_retired || why == errc::branch_not_found;
        return ended || outcome.verdict == publish_action::conflict ? why : in_doubt(commit, why);
    }

    commit_receipt accept(fetched const& from, prepared_commit commit)
    {
        keys_.note(commit.value);
        if (retires(commit.value)) stream_.note_ending(commit.value);
        auto shared = std::make_shared<state const>(std::move(commit.after));
        snapshot const newest(stream_.known().stream, std::move(shared), false, from.spent());
        stream_.hold(newest);
        pending_ = newest;
        checkpoint_due_ = commit.checkpoint_due;
        commit_receipt receipt;
        receipt.at = newest.at();
        receipt.spent = from.spent();
        return receipt;
    }

    result<prepared_commit> prepare(snapshot const& base, intent wanted)
    {
        authority const& known = stream_.known();
        prepared_commit out;
        if (wanted.origin && wanted.origin->kind == lineage::kind_type::retire && !may_retire_) {
            return error(errc::invalid_argument,
                         "lineage: a retire record ends its branch; only deleting the branch writes one");
        }
        if (auto named = check_names(wanted); !named) return named.error();
        if (base.seq() >= last_sequence) {
            return error(errc::limit_exceeded, "last_sequence: the stream is at the greatest seq there is");
        }
        state_header next;
        next.seq = base.seq().next();
        next.created_at = std::max(held_now_ms(known, stream_.time()), base.created_at() + 1);
        if (next.created_at >= max_created_at_ms) {
            return error(errc::invalid_argument,
                         "created_at would be beyond the year 2248; set this machine's clock right");
        }
        next.head_commit_id = make_commit_id(next.created_at, next.seq, chance_);
        next.schema = wanted.schema ? wanted.schema : base.schema();
        out.after = base.content();
        if (auto applied = out.after.apply(wanted, next); !applied) return applied.error();

        record& value = out.value;
        value.seq = next.seq;
        value.id = *next.head_commit_id;
        value.parent = base.id();
        value.stream = known.stream.text();
        value.created_at = next.created_at;
        value.schema = next.schema;
        value.actor = std::move(wanted.actor);
        value.pins = std::move(wanted.pins);
        value.registrations = std::move(wanted.registrations);
        value.tombstones = std::move(wanted.tombstones);
        value.renames = std::move(wanted.renames);
        value.origin = std::move(wanted.origin);
        value.idempotency_key = std::move(wanted.idempotency_key);
        value.state_digest = out.after.digest();
        if (auto encoded = encode_with_carry(base, out); !encoded) return encoded.error();
        out.checkpoint_due |= next.seq == boundary_at(next.seq, interval());
        return out;
    }

    // A carry beyond the limit is left out; an early checkpoint lets the next one start afresh.
    result<void> encode_with_carry(snapshot const& base, prepared_commit& out)
    {
        authority const& known = stream_.known();
        auto plain = encode(out.value);
        if (!plain) return plain.error();
        if (base.content().base() >= known.metadata.floor) {
            out.value.carried = base.content().since_base();
            auto carrying = encode(out.value);
            if (carrying && carrying->size() - plain->size() <= known.format.carry_limit) {
                out.content = std::move(*carrying);
                return {};
            }
            out.value.carried.reset();
        }
        out.content = std::move(*plain);
        out.checkpoint_due = true;
        return {};
    }

    // `base` becomes the same state over a newer base where cleanup has taken the set of the one it had.
    task<void> check_registrations(fetched& from, snapshot& base, std::vector<registration> const& wanted)
    {
        if (wanted.empty()) co_return result<void>();
        auto const set = co_await read_base_set(from, stream_, checkpoints_, base);
        if (!set && set.error() == errc::pruned) co_return co_await void_base(base);
        if (!set) co_return set.error();
        if (auto unused = check_unused(wanted, base.content().recent()); !unused) co_return unused.error();
        co_return check_unused(wanted, **set);
    }

    // The loop of the outcome table: ask, let publish_step say what the answer means, act.
    boost::asio::awaitable<slot_outcome> decide_slot(fetched& from, prepared_commit const& commit)
    {
        object_key const key = layout::record(stream_.known().stream, commit.value.seq);
        auto const deadline = stream_.time().since_boot() + options_.outcome_budget;
        auto action = publish_action::send;
        slot_outcome out;
        for (std::uint32_t turn = 0;; ++turn) {
            bool const waits = turn > 0 && action != publish_action::read;
            if (waits) {
                auto const wait = full_jitter(settle_base, settle_cap, turn - 1, chance_.next());
                co_await stream_.time().sleep_for(wait);
            }
            slot_answer answer{};
            if (action == publish_action::send) {
                auto const created = co_await from.store().put_if_absent(key, commit.content);
                from.note_date_of(created);
                if (!created) out.why = created.error();
                answer = read_create(created, out.earlier_unknown);
            } else {
                get_options how;
                how.max_bytes = max_record_bytes;
                auto const found = co_await from.store().get(key, how);
                from.note_date_of(found);
                if (found) out.winner = found->content;
                if (!found) out.why = of_stored(found.error(), key, how.max_bytes);
                answer = read_slot(found, commit.content);
            }
            bool const spent = stream_.time().since_boot() >= deadline;
            action = after(answer, out.earlier_unknown, spent);
            if (action == publish_action::send || action == publish_action::read
                || action == publish_action::read_later) {
                continue;
            }
            out.verdict = action;
            if (action == publish_action::in_doubt) out.why = in_doubt(commit, out.why);
            if (action == publish_action::fail && answer == slot_answer::read_absent) {
                // Whoever had the slot was pruned before it could be read.
                out.why = {errc::unavailable, diagnostics("publish", key.text(),
                                                          "the position was taken and is empty now, and outcome_budget "
                                                          "has ended; nothing was published, try again")};
            }
            co_return out;
        }
    }

    position position_of(prepared_commit const& commit) const
    {
        position at;
        at.stream = stream_.known().stream;
        at.seq = commit.value.seq;
        at.id = commit.value.id;
        return at;
    }

    error in_doubt(prepared_commit const& commit, error const& cause) const
    {
        return in_doubt(position_of(commit), commit.content, cause);
    }

    static error in_doubt(position const& at, bytes const& content, error const& cause)
    {
        diagnostics why = cause.why() ? *cause.why() : diagnostics();
        why.operation = "publish";
        why.key = layout::record(at.stream, at.seq).text();
        why.detail = "commit " + at.id->text() + " may have been published; " + cause.message();
        why.facts.emplace_back("resume", resume_token(at, sha256_hex(content.view())).text());
        return {errc::outcome_unknown, std::move(why)};
    }

    // The winner was read to decide; folding it on makes the next plan one create again.
    error fold_winner(snapshot const& base, bytes const& winner)
    {
        auto const seq = base.seq().next();
        auto decoded = decode_record(winner.view(), stream_.known().stream, seq);
        if (!decoded) return decoded.error();
        state next = base.content();
        auto applied = next.apply(*decoded);
        keys_.note(*decoded);
        bool const is_news = !stream_.held() || stream_.held()->seq() <= base.seq();
        if (retires(*decoded)) {
            stream_.note_ending(*decoded);
            return {errc::branch_retired,
                    diagnostics("publish", layout::record(base.stream(), seq).text(), "the branch was deleted")};
        }
        if (applied && is_news && decoded->state_digest == next.digest()) {
            if (decoded->carried && decoded->carried->base >= stream_.known().metadata.floor) {
                next.adopt_base(*decoded, interval());
            }
            auto shared = std::make_shared<state const>(std::move(next));
            stream_.hold(snapshot(base.stream(), std::move(shared), base.degraded(), base.spent()));
        } else if (is_news) {
            stream_.forget();
        }
        return conflict_with(base, decoded->id.text());
    }

    // Never lowered knowingly: the etag last seen guards it; after a refusal another publisher's hint is as good as
    // ours.
    task<void> write_hint(fetched& from, hint value)
    {
        object_key const key = layout::hint(stream_.known().stream);
        bytes const content = encode(value);
        if (hint_tag_.empty()) hint_tag_ = stream_.hint_tag();
        bool const guarded = !hint_tag_.empty() && stream_.store().capabilities().conditional_update;
        if (guarded) {
            etag const expected = hint_tag_;
            auto updated = co_await from.store().put_if_match(key, content, expected);
            if (updated) {
                hint_tag_ = updated->tag;
                co_return result<void>();
            }
            if (!(updated.error() == errc::precondition_failed)) co_return updated.error();
        }
        auto written = co_await from.store().put(key, content);
        if (!written) co_return written.error();
        hint_tag_ = written->tag;
        co_return result<void>();
    }

    open_stream stream_;
    random& chance_;
    publisher_options options_;
    std::optional<snapshot> pending_;  // Published, upkeep not done.
    bool checkpoint_due_ = false;      // Of the pending one.
    bool archive_due_ = false;         // Its schema's content may have been taken by a cleanup.
    bool may_retire_ = false;
    etag hint_tag_;
    checkpoint_writer checkpoints_;
    key_window keys_;
    schema_archive schemas_;
    std::optional<std::chrono::nanoseconds> hinted_;  // When the last hint was written, since boot.
};

publisher::publisher(object_store& store, std::string_view branch, clock& time, random& chance,
                     publisher_options options)
    : impl_(std::make_unique<impl>(open_stream(store, std::string(branch), time), chance, options))
{
}

publisher::publisher(publisher&&) noexcept = default;
publisher& publisher::operator=(publisher&&) noexcept = default;
publisher::~publisher() = default;

task<snapshot> publisher::current() { return impl_->current(); }
task<commit_receipt> publisher::publish(plan prepare) { return impl_->publish(std::move(prepare)); }
task<commit_receipt> publisher::publish_at(snapshot base, intent wanted)
{
    return impl_->publish_at(std::move(base), std::move(wanted));
}
task<commit_receipt> publisher::publish_on(std::optional<commit_id> expected, intent wanted)
{
    return impl_->publish_on(std::move(expected), std::move(wanted));
}
task<cost> publisher::upkeep() { return impl_->upkeep(); }

task<life> retirement::end(open_stream of, random& chance, std::string by, std::optional<position> expected,
                           prover* proofs)
{
    publisher_options how;
    how.proofs = proofs;
    publisher::impl through(std::move(of), chance, how);
    co_return co_await through.retire(std::move(by), std::move(expected));
}

}  // namespace headwater
