// Follows a branch's feed, and goes on at its last cursor after it was killed.
#include "tests/simulation/actor.hpp"

#include <headwater/feed.hpp>

#include <optional>

namespace headwater::simulation {

namespace {

class follower_actor final : public actor {
public:
    follower_actor(world& all, object_store& line, std::string its_name, std::uint64_t seed)
        : actor(all, line, std::move(its_name), seed)
    {
        begin();
    }

protected:
    void start_again() override
    {
        if (!cursor_) return begin();
        handle_.emplace(store(), branch_, time(), feed_start::at(*cursor_), how_);
    }

    boost::asio::awaitable<void> act() override
    {
        auto const before = all().judge.all_newest();
        auto const page = co_await handle_->poll();
        if (!page) {
            // A cursor of a life that has ended is another life's by now.
            refused(
                "follow " + branch_, page.error(),
                {errc::unavailable, errc::pruned, errc::branch_not_found, errc::branch_retired, errc::cursor_rejected});
            if (!(page.error() == errc::unavailable)) begin();
            co_return;
        }
        for (auto const& block : page->blocks) all().judged([&](oracle& judge) { take(judge, block.cause); });
        if (stream_) tell("followed " + *stream_ + " to " + std::to_string(seen_.value()));
        cursor_ = page->cursor;
        if (page->caught_up && stream_) all().judged([&](oracle&) { check_caught_up(before); });
        if (draw(8) == 0) start_again();
        if (draw(16) == 0) begin();
    }

private:
    void begin()
    {
        branch_ = some_branch();
        from_beginning_ = draw(2) == 0;
        how_.page_commits = static_cast<std::uint32_t>(1 + draw(6));
        cursor_.reset();
        stream_.reset();
        seen_ = sequence();
        auto const where = from_beginning_ ? feed_start::beginning() : feed_start::now();
        handle_.emplace(store(), branch_, time(), where, how_);
    }

    // Each once, in order.
    void take(oracle& judge, record const& cause)
    {
        judge.fed(cause);
        auto const where = "seq " + std::to_string(cause.seq.value()) + " of " + cause.stream;
        if (stream_ && *stream_ != cause.stream) throw broken_promise("a feed passed to another life: " + where);
        bool const first = !stream_ && !from_beginning_;
        auto const expected = stream_ ? seen_.next() : judge.beginning(cause.stream);
        if (!first && cause.seq != expected) {
            throw broken_promise("a feed told of " + where + " after seq " + std::to_string(seen_.value()));
        }
        stream_ = cause.stream;
        seen_ = cause.seq;
    }

    void check_caught_up(std::map<std::string, sequence> const& before) const
    {
        auto const at = before.find(*stream_);
        if (at == before.end() || seen_ >= at->second) return;
        if (seen_.next() == at->second && all().judge.ends_at(*stream_, at->second)) return;
        throw broken_promise("a feed of " + *stream_ + " says that nothing is after seq "
                             + std::to_string(seen_.value()) + ", but " + std::to_string(at->second.value())
                             + " was made before it looked");
    }

    std::string branch_;
    bool from_beginning_ = false;
    feed_options how_;
    std::optional<feed> handle_;
    std::optional<std::string> cursor_;
    std::optional<std::string> stream_;  ///< Of the last commit that it was told of.
    sequence seen_;
};

}  // namespace

std::unique_ptr<actor> make_follower(world& all, object_store& store, std::string name, std::uint64_t seed)
{
    return std::make_unique<follower_actor>(all, store, std::move(name), seed);
}

}  // namespace headwater::simulation
