// Reads on from where it stands, in rounds that double; the first read checks that it stands where it says.
#include <headwater/feed.hpp>

#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"
#include "src/log/feed_cursor.hpp"
#include "src/log/lives.hpp"
#include "src/log/open_stream.hpp"

#include <headwater/hint.hpp>

#include <algorithm>

namespace headwater {

namespace {

/// The most records asked for at once.
constexpr std::uint64_t max_round = 50;

error gap(stream_id const& stream, sequence at, sequence floor)
{
    diagnostics why("changes", layout::metadata(stream).text(),
                    "the commits from seq " + std::to_string(at.next().value()) + " to the floor "
                        + std::to_string(floor.value())
                        + " are gone; start after the floor's commit, on top of the snapshot there");
    why.facts.emplace_back("floor", std::to_string(floor.value()));
    why.facts.emplace_back("first_missing", std::to_string(at.next().value()));
    return {errc::pruned, std::move(why)};
}

// A branch has what came before its fork from its parent, and tells nothing of it.
error started_before_fork(stream_id const& stream, commit_id const& id, stream_metadata::parent_type const& fork)
{
    auto const seq = std::to_string(fork.seq.value());
    diagnostics why("changes", layout::metadata(stream).text(),
                    "commit " + id.text() + " came before the branch, which begins after seq " + seq + " of "
                        + fork.stream + ": start at the beginning, or read the feed of that one");
    why.facts.emplace_back("fork", seq);
    return {errc::not_found, std::move(why)};
}

// What cleanup has taken of a branch that was deleted.
error lost_before_end(stream_id const& stream, sequence at, sequence final_seq)
{
    auto const first = std::to_string(at.next().value());
    diagnostics why("changes", layout::metadata(stream).text(),
                    "the branch was deleted, and its commits from seq " + first + " to "
                        + std::to_string(final_seq.value() - 1) + " are gone; its feed ends with a gap");
    why.facts.emplace_back("first_missing", first);
    why.facts.emplace_back("final_seq", std::to_string(final_seq.value()));
    return {errc::pruned, std::move(why)};
}

std::string text_or_none(std::optional<commit_id> const& id) { return id ? id->text() : "none"; }

}  // namespace

class feed::impl {
public:
    impl(object_store& store, std::string branch, clock& time, feed_start start, feed_options options)
        : stream_(store, std::move(branch), time),
          start_(std::move(start)),
          options_(std::move(options)),
          filter_(filter_digest(options_.tables))
    {
    }

    task<feed_page> poll()
    {
        if (options_.page_commits == 0 || options_.page_commits > feed_options::max_page_commits) {
            co_return error(errc::invalid_argument,
                            "page_commits is from 1 to " + std::to_string(feed_options::max_page_commits));
        }
        if (ended_) co_return retired();
        fetched from(stream_.store());
        if (!at_) {
            auto begun = co_await begin(from);
            if (!begun) co_return begun.error();
            stream_.allow_ended();  // What came before the end is told first.
        }
        auto page = co_await read_on(from);
        if (page) idle_polls_ = page->blocks.empty() ? idle_polls_ + 1 : 0;
        co_return page;
    }

    task<feed_page> next()
    {
        for (;;) {
            auto page = co_await poll();
            if (!page || !page->blocks.empty()) co_return page;
            co_await stream_.time().sleep_for(idle_wait());
        }
    }

    std::chrono::milliseconds idle_wait() const noexcept
    {
        auto const longest = options_.idle_longest;
        auto wait = std::min(options_.idle_first, longest);
        bool const grows = wait.count() > 0;
        for (unsigned i = 1; grows && i < idle_polls_ && wait < longest; ++i) {
            wait = wait > longest / 2 ? longest : wait * 2;
        }
        return wait;
    }

private:
    // --- the start ---

    task<void> begin(fetched& from)
    {
        auto const& where = start_.value();
        if (std::holds_alternative<feed_start::now_tag>(where)) co_return co_await begin_now();
        if (std::holds_alternative<feed_start::beginning_tag>(where)) co_return co_await begin_at_origin(from);
        if (auto const* const id = std::get_if<commit_id>(&where)) co_return co_await begin_after(from, *id);
        if (auto const* const at = std::get_if<position>(&where)) co_return co_await begin_at(from, *at);
        auto cursor = decode_feed_cursor(std::get<std::string>(where));
        if (!cursor) co_return cursor.error();
        if (cursor->filter != filter_) co_return cursor_rejected("it is bound to another filter");
        domain_ = cursor->domain;
        co_return co_await begin_at(from, cursor->at);
    }

    task<void> begin_now()
    {
        auto const now = co_await stream_.current();
        if (!now) co_return stream_.retired() ? retired() : now.error();
        at_ = now->at();
        before_ = now->spent();
        end_checked_ = stream_.time().since_boot();  // The hint was among what was read.
        co_return result<void>();
    }

    task<void> begin_at_origin(fetched& from)
    {
        std::vector<wanted_object> nothing_else;
        auto opened = co_await open(from, std::move(nothing_else));
        if (!opened) co_return opened.error();
        auto const& metadata = stream_.known().metadata;
        position origin;
        origin.stream = stream_.known().stream;
        if (metadata.parent) {
            origin.seq = metadata.parent->seq;
            origin.id = metadata.parent->id;
        }
        if (origin.seq < metadata.floor) co_return gap(origin.stream, origin.seq, metadata.floor);
        at_ = std::move(origin);
        co_return result<void>();
    }

    // An id of ours says where it stands.
    task<void> begin_after(fetched& from, commit_id id)
    {
        auto const parsed = parse_ulid(id.text());
        error const none(errc::not_found, "the branch has no commit " + id.text());
        if (!parsed) co_return none;
        auto stream = co_await stream_.resolve(from);
        if (!stream) co_return stream.error();
        position wanted;
        wanted.stream = std::move(*stream);
        wanted.seq = sequence_in(*parsed);
        wanted.id = id;
        auto begun = co_await begin_at(from, std::move(wanted));
        if (begun || !(begun.error() == errc::cursor_rejected)) co_return begun;
        auto const& metadata = stream_.known().metadata;
        bool const inherited = metadata.parent && sequence_in(*parsed) < metadata.parent->seq;
        if (inherited) co_return started_before_fork(stream_.known().stream, id, *metadata.parent);
        co_return none;
    }

    // Beside the opening, the record that the start names and the one after it. Who stood somewhere when the branch was
    // deleted is told what followed.
    task<void> begin_at(fetched& from, position wanted)
    {
        stream_.allow_ended();
        auto stream = co_await stream_.resolve(from);
        if (!stream) co_return stream.error();
        if (*stream != wanted.stream) co_return cursor_rejected("it is of another life of the branch");
        std::vector<wanted_object> round;
        if (wanted.seq > sequence()) round.push_back(record_object(*stream, wanted.seq));
        if (wanted.seq < last_sequence) round.push_back(record_object(*stream, wanted.seq.next()));
        auto opened = co_await open(from, std::move(round));
        if (!opened) co_return opened.error();
        if (!domain_.empty() && domain_ != stream_.known().format.identity_domain) {
            co_return cursor_rejected("it is of another graph");
        }
        auto const& metadata = stream_.known().metadata;
        bool const inherited = metadata.parent && wanted.seq < metadata.parent->seq;
        if (inherited) co_return cursor_rejected("it is before the branch's fork");
        if (wanted.seq < metadata.floor) co_return gap(*stream, wanted.seq, metadata.floor);
        auto const there = co_await id_at(from, wanted.seq);
        // Of a branch that was deleted cleanup takes the oldest first; then the next record's parent proves the start.
        bool const may_be_gone = stream_.retired() && wanted.seq < stream_.retired()->final_seq;
        if (!there && !(may_be_gone && blames_cleanup(there.error()))) {
            bool const absent = there.error() == errc::not_found;
            co_return absent ? cursor_rejected("there is no commit at seq " + std::to_string(wanted.seq.value()))
                             : there.error();
        }
        if (there && *there != wanted.id) {
            co_return cursor_rejected("seq " + std::to_string(wanted.seq.value()) + " has commit "
                                      + text_or_none(*there) + ", not " + text_or_none(wanted.id));
        }
        at_ = std::move(wanted);
        co_return result<void>();
    }

    // The commit at a seq at or above the floor; the floor's record may be gone, its checkpoint and a fork's name stay.
    task<std::optional<commit_id>> id_at(fetched& from, sequence seq)
    {
        if (seq == sequence()) co_return std::optional<commit_id>();
        auto const& metadata = stream_.known().metadata;
        if (metadata.parent && metadata.parent->seq == seq) co_return metadata.parent->id;
        if (seq == metadata.floor) {
            auto const state = co_await stream_.at(seq);
            if (!state) co_return state.error();
            before_ = before_ + state->spent();
            co_return state->id();
        }
        auto const& answer = from.get(layout::record(stream_.known().stream, seq));
        if (!answer) co_return answer.error();
        auto const one = decode_record(answer->content.view(), stream_.known().stream, seq);
        if (!one) co_return one.error();
        co_return std::optional(one->id);
    }

    // --- reading on ---

    task<feed_page> read_on(fetched& from)
    {
        feed_page page;
        position at = *at_;
        error stopped;
        while (!page.caught_up && page.blocks.size() < options_.page_commits) {
            auto const left = std::min<std::uint64_t>(options_.page_commits - page.blocks.size(),
                                                      last_sequence.value() - at.seq.value());
            if (left == 0) break;
            // As many again as there were: a single new commit costs one request more, a long backlog few rounds.
            auto const again = std::max<std::uint64_t>(page.blocks.size(), 1);
            auto const count = std::min({again, left, max_round});
            auto done = co_await read_round(from, count, at, page);
            if (!done) {
                stopped = done.error();
                break;
            }
        }
        if (page.caught_up) {
            auto sure = co_await check_end(from, at);
            if (!sure) stopped = sure.error();
            page.caught_up = sure.has_value();
        }
        // Answers about slots count beside young metadata alone.
        bool const looks = page.blocks.empty() && options_.look_again.count() > 0;
        auto refreshing = looks ? stream_.look_again(from, options_.look_again) : stream_.refresh(from);
        auto fresh = co_await std::move(refreshing);
        if (!fresh) co_return fresh.error();
        if (stream_.retired()) page.caught_up = false;  // There is the end, at least, to be told.
        auto const floor = stream_.known().metadata.floor;
        if (at_->seq < floor) co_return gap(at_->stream, at_->seq, floor);
        co_await stream_.finish_ending(from);
        if (stopped.code() && page.blocks.empty()) co_return stopped;
        at_ = std::move(at);
        ended_ = stopped == errc::branch_retired;
        page.cursor = cursor_at(*at_);
        page.spent = before_ + from.spent();
        before_ = cost();
        co_return page;
    }

    // The next `count` records, as far as there are any.
    task<void> read_round(fetched& from, std::uint64_t count, position& at, feed_page& page)
    {
        std::vector<wanted_object> round;
        auto const first = at.seq.next();
        for (std::uint64_t i = 0; i != count; ++i) {
            round.push_back(record_object(at.stream, sequence(first.value() + i)));
        }
        auto opened = co_await stream_.open(from, std::move(round));
        if (!opened) co_return opened.error();
        auto const floor = stream_.known().metadata.floor;
        if (at.seq < floor) co_return gap(at.stream, at.seq, floor);
        for (std::uint64_t i = 0; i != count; ++i) {
            sequence const seq(first.value() + i);
            auto taken = co_await is_taken(from, seq, sequence(first.value() + count - 1));
            if (!taken) co_return taken.error();
            if (!*taken) co_return co_await stop_before(from, seq, page);
            auto told = tell(from, seq, at, page);
            if (!told) co_return told.error();
        }
        co_return result<void>();
    }

    // Nothing at `seq`. Of a branch that was deleted all is told, or lost, or came while the end was read.
    task<void> stop_before(fetched& from, sequence seq, feed_page& page)
    {
        page.caught_up = !stream_.retired();
        if (page.caught_up) co_return result<void>();
        sequence const last(seq.value() - 1);
        if (seq >= stream_.retired()->final_seq) co_return retired();
        from.forget(layout::record(stream_.known().stream, seq));
        auto taken = co_await stream_.slot_taken(from, seq);
        if (!taken) co_return taken.error();
        if (!*taken) co_return what_is_left(last);
        co_return result<void>();
    }

    // Of a branch that was deleted, after `last`, where nothing more can be read.
    error what_is_left(sequence last) const
    {
        auto const final_seq = stream_.retired()->final_seq;
        if (last.next() >= final_seq) return retired();
        return lost_before_end(stream_.known().stream, last, final_seq);
    }

    // A hole just after the feed looks like the end. Now and then the hint is asked, which knows of what lies beyond.
    task<void> check_end(fetched& from, position at)
    {
        auto const now = stream_.time().since_boot();
        bool const checked_lately = end_checked_ && now - *end_checked_ <= min_age / 2;
        if (checked_lately) co_return result<void>();
        auto const key = layout::hint(at.stream);
        std::vector<wanted_object> one;
        one.emplace_back(key, max_hint_bytes);
        co_await from.fetch(std::move(one));
        auto const& answer = from.get(key);
        bool const tells_nothing = !answer && (answer.error() == errc::not_found || answer.error() == errc::corrupt);
        if (!answer && !tells_nothing) co_return answer.error();
        auto const hinted = answer ? decode_hint(answer->content.view()) : std::nullopt;
        bool const knows_more = hinted && hinted->seq > at.seq && hinted->seq <= last_sequence;
        if (knows_more) {
            // A hint may say anything: only a record proves that there is more.
            auto beyond = co_await stream_.slot_taken(from, hinted->seq);
            if (!beyond) co_return beyond.error();
            if (*beyond) co_return co_await ask_again(from, at.seq.next());
        }
        end_checked_ = now;
        co_return result<void>();
    }

    task<void> ask_again(fetched& from, sequence seq)
    {
        auto const key = layout::record(at_->stream, seq);
        from.forget(key);
        auto taken = co_await stream_.slot_taken(from, seq);
        if (!taken) co_return taken.error();
        if (*taken) co_return result<void>();
        auto const rose = co_await stream_.floor_rose(from);
        if (!rose) co_return rose.error();
        auto const floor = stream_.known().metadata.floor;
        if (seq <= floor) co_return gap(at_->stream, at_->seq, floor);
        co_return error(errc::history_gap, diagnostics("changes", key.text(), "a record that must exist is missing"));
    }

    // Absent below present is asked again, then it is a hole.
    task<bool> is_taken(fetched& from, sequence seq, sequence last)
    {
        auto taken = co_await stream_.slot_taken(from, seq);
        if (!taken || *taken || stream_.retired()) co_return taken;
        for (auto later = seq.next(); later <= last; later = later.next()) {
            auto beyond = co_await stream_.slot_taken(from, later);
            if (!beyond || !*beyond) continue;
            auto there = co_await ask_again(from, seq);
            if (!there) co_return there.error();
            co_return true;
        }
        co_return false;
    }

    result<void> tell(fetched& from, sequence seq, position& at, feed_page& page)
    {
        auto const key = layout::record(at.stream, seq);
        auto const& answer = from.get(key);
        if (!answer) return answer.error();
        auto one = decode_record(answer->content.view(), at.stream, seq);
        from.forget(key);
        if (!one) return one.error();
        if (one->parent != at.id) return broken(*one, at, page.blocks.empty());
        if (retires(*one)) {
            stream_.note_ending(*one);
            return retired();
        }
        at.seq = seq;
        at.id = one->id;
        auto& block = page.blocks.emplace_back();
        block.cause = std::move(*one);
        block.cause.carried.reset();
        block.changes = changes_of(block.cause);
        std::erase_if(block.changes, [this](feed_change const& each) { return !wants(each.table.stable_table_id); });
        block.cursor = cursor_at(at);
        return {};
    }

    static error broken(record const& next, position const& at, bool after_cursor)
    {
        std::string const what = "the parent of commit " + next.id.text() + " is " + text_or_none(next.parent)
                                 + ", not " + text_or_none(at.id);
        if (after_cursor) return cursor_rejected(what);
        return {errc::history_gap, diagnostics("changes", layout::record(at.stream, next.seq).text(), what)};
    }

    bool wants(std::uint64_t table) const
    {
        return options_.tables.empty() || std::ranges::find(options_.tables, table) != options_.tables.end();
    }

    // A life that ended before it was opened has no metadata that reads allow; a feed calls that by its name.
    task<void> open(fetched& from, std::vector<wanted_object> beside)
    {
        auto opened = co_await stream_.open(from, std::move(beside));
        if (!opened && stream_.retired()) co_return retired();
        co_return opened;
    }

    static bool blames_cleanup(error const& what) { return what == errc::history_gap || what == errc::not_found; }

    static error retired() { return {errc::branch_retired, "its feed has ended"}; }

    static wanted_object record_object(stream_id const& stream, sequence seq)
    {
        return {layout::record(stream, seq), max_record_bytes};
    }

    std::string cursor_at(position const& at) const
    {
        feed_cursor out;
        out.domain = stream_.known().format.identity_domain;
        out.at = at;
        out.filter = filter_;
        return encode(out);
    }

    open_stream stream_;
    feed_start start_;
    feed_options options_;
    std::string filter_;
    std::string domain_;          // Of the cursor that the feed starts at.
    std::optional<position> at_;  // The last commit told of, once that is known to be right.
    bool ended_ = false;
    unsigned idle_polls_ = 0;
    std::optional<std::chrono::nanoseconds> end_checked_;  // Since boot.
    cost before_;                                          // Of the start, for the first page.
};

feed::feed(object_store& store, std::string_view branch, clock& time, feed_start start, feed_options options)
    : impl_(std::make_unique<impl>(store, std::string(branch), time, std::move(start), std::move(options)))
{
}

feed::feed(feed&&) noexcept = default;
feed& feed::operator=(feed&&) noexcept = default;
feed::~feed() = default;

task<feed_page> feed::poll() { return impl_->poll(); }
task<feed_page> feed::next() { return impl_->next(); }
std::chrono::milliseconds feed::idle_wait() const noexcept { return impl_->idle_wait(); }

}  // namespace headwater
