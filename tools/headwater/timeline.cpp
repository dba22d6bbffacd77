// Notes while the store answers; draws afterwards.
#include "tools/headwater/timeline.hpp"

#include "tools/headwater/print.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace headwater::cli {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t timeline_bar_width = 24;

std::uint32_t noted_attempts(answer_info const& info) { return info.attempts; }
std::uint32_t noted_attempts(error const& failed) { return failed.why() ? failed.why()->attempts : 1; }

std::string noted_outcome(error const& failed)
{
    if (failed == errc::not_found) return "absent";
    return failed.code().category() == category() ? std::string(to_string(static_cast<errc>(failed.code().value())))
                                                  : failed.code().message();
}

class noting_store final : public object_store {
public:
    noting_store(object_store& next, timeline& notes) : next_(next), notes_(notes) {}

    task<object> get(object_key key, get_options options) override
    {
        auto const mine = notes_.begin("get", key.text());
        auto answer = co_await next_.get(std::move(key), options);
        if (answer) {
            notes_.end(mine, noted_attempts(answer->info), std::to_string(answer->content.size()) + " bytes");
        } else {
            notes_.end(mine, noted_attempts(answer.error()), noted_outcome(answer.error()));
        }
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        auto const mine = notes_.begin("list", prefix);
        auto answer = co_await next_.list(std::move(prefix), options);
        if (answer) {
            notes_.end(mine, noted_attempts(answer->info), std::to_string(answer->objects.size()) + " names");
        } else {
            notes_.end(mine, noted_attempts(answer.error()), noted_outcome(answer.error()));
        }
        co_return answer;
    }

    task<object_meta> head(object_key key) override { return next_.head(std::move(key)); }
    task<put_answer> put(object_key key, bytes content) override
    {
        return next_.put(std::move(key), std::move(content));
    }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        return next_.put_if_absent(std::move(key), std::move(content));
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        return next_.put_if_match(std::move(key), std::move(content), std::move(expected));
    }
    task<remove_answer> remove(object_key key) override { return next_.remove(std::move(key)); }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    object_store& next_;
    timeline& notes_;
};

double timeline_ms(nanoseconds length) { return std::chrono::duration<double, std::milli>(length).count(); }

// `  ====  `: when, as a part of all the time.
std::string timeline_bar(timeline_entry const& entry, nanoseconds done)
{
    auto const column = [&](nanoseconds when) {
        auto const share = done.count() > 0 ? static_cast<double>(when.count()) / static_cast<double>(done.count()) : 0;
        return std::min(static_cast<std::size_t>(share * timeline_bar_width), timeline_bar_width - 1);
    };
    std::string out(timeline_bar_width, ' ');
    for (auto at = column(entry.began); at <= column(entry.ended); ++at) out[at] = '=';
    return out;
}

std::string timeline_line(timeline_entry const& entry, nanoseconds done)
{
    char times[64];
    std::snprintf(times, sizeof times, "%5llu %9.1f %9.1f  |", static_cast<unsigned long long>(entry.round),
                  timeline_ms(entry.began), timeline_ms(entry.ended));
    auto line = times + timeline_bar(entry, done) + "|  " + entry.operation + ' ' + printable(entry.subject) + ": "
                + entry.outcome;
    if (entry.attempts > 1) line += ", sent " + std::to_string(entry.attempts) + " times";
    return line + '\n';
}

}  // namespace

std::size_t timeline::begin(std::string_view operation, std::string_view subject)
{
    timeline_entry next;
    next.operation = operation;
    next.subject = subject;
    next.round = ended_round_ + 1;
    next.began = elapsed();
    entries_.push_back(std::move(next));
    return entries_.size() - 1;
}

void timeline::end(std::size_t which, std::uint32_t attempts, std::string outcome)
{
    auto& entry = entries_[which];
    entry.ended = elapsed();
    entry.attempts = attempts;
    entry.outcome = std::move(outcome);
    ended_round_ = std::max(ended_round_, entry.round);
}

std::unique_ptr<object_store> make_noting_store(object_store& next, timeline& notes)
{
    return std::make_unique<noting_store>(next, notes);
}

std::string timeline_text(std::vector<timeline_entry> const& entries, nanoseconds done)
{
    std::string out = "round  begun ms  ended ms\n";
    for (auto const& each : entries) out += timeline_line(each, done);
    char last[64];
    std::snprintf(last, sizeof last, "done      %15.1f\n", timeline_ms(done));
    return out + last;
}

}  // namespace headwater::cli
