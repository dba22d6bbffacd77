// Sends calls that had no effect again, with full jitter. Stands above settling.
//
// Conditional writes pass through: settling repeats them, because only there is it known whether an earlier request
// may still be applied. A plain write that was never answered ends here too: it may land at any time, and a repeat of
// it could overwrite, or remove, what somebody wrote since. One that the store answered for now is over: it is asked
// for again.
#include "src/store/attempts.hpp"
#include "src/store/call_deadline.hpp"

#include <algorithm>
#include <utility>

namespace headwater {

namespace {

enum class effect { reads, writes };

bool may_repeat(error const& what, effect kind) noexcept
{
    bool const is_unknown_read = kind == effect::reads && what == errc::outcome_unknown;
    return what == errc::unavailable || is_unknown_read || is_told_later(what);
}

/// The key's removal may be asked for again.
bool is_idle(key_failure const& one) noexcept { return may_repeat(one.why, effect::writes); }

/// An error of the whole batch is one of each key.
std::vector<key_failure> failures_of(result<remove_many_answer> const& answer, std::vector<object_key> const& keys)
{
    if (answer) return answer->failed;
    std::vector<key_failure> all;
    all.reserve(keys.size());
    for (auto const& each : keys) all.emplace_back(each, answer.error());
    return all;
}

template <class Failures>
std::optional<std::chrono::nanoseconds> longest_wish(Failures const& of)
{
    std::optional<std::chrono::nanoseconds> longest;
    for (auto const& each : of) longest = std::max(longest, asked_for(each.why));
    return longest;
}

class retrying_store final : public object_store {
public:
    retrying_store(object_store& next, clock& time, random& chance, retry_options options)
        : next_(next),
          time_(time),
          chance_(chance),
          limits_(limits_of(options)),
          total_(options.deadline),
          tokens_(tokens_of(options, next))
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        auto const send = [&] { return next_.get(key, options); };
        auto about = about_call(next_, "get", key.text());
        co_return co_await repeat<object>(send, std::move(about), effect::reads);
    }

    task<object_meta> head(object_key key) override
    {
        auto const send = [&] { return next_.head(key); };
        auto about = about_call(next_, "head", key.text());
        co_return co_await repeat<object_meta>(send, std::move(about), effect::reads);
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        auto const send = [&] { return next_.put(key, content); };
        auto about = about_call(next_, "put", key.text());
        co_return co_await repeat<put_answer>(send, std::move(about), effect::writes);
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        auto const send = [&] { return next_.list(prefix, options); };
        auto about = about_call(next_, "list", prefix);
        co_return co_await repeat<list_page>(send, std::move(about), effect::reads);
    }

    task<remove_answer> remove(object_key key) override
    {
        auto const send = [&] { return next_.remove(key); };
        auto about = about_call(next_, "remove", key.text());
        co_return co_await repeat<remove_answer>(send, std::move(about), effect::writes);
    }

    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        backoff pace(limits_, time_.since_boot());
        call_deadline until(time_, total_, about_call(next_, "remove_many", std::string()));
        remove_many_answer whole;
        whole.info.attempts = 0;
        for (auto const given = keys.size();;) {
            auto request = next_.remove_many(keys);
            auto answer = co_await until.within(std::move(request), errc::outcome_unknown);
            auto const attempts = whole.info.attempts + attempts_of(answer);
            if (answer) whole.info = answer->info;
            whole.info.attempts = attempts;
            auto failed = failures_of(answer, keys);
            auto const again = std::ranges::partition(failed, [](auto const& each) { return !is_idle(each); });
            if (again.empty()) tokens_->succeeded(pace.attempts() > 1);
            auto const wait = again.empty() ? std::optional<std::chrono::nanoseconds>()
                                            : pace.next(time_.since_boot(), chance_.next(), longest_wish(again));
            bool const ended = !wait || !tokens_->take();
            if (ended && !answer && keys.size() == given) {
                co_return with_attempts(answer.error(), whole.info.attempts);
            }
            whole.failed.insert(whole.failed.end(), failed.begin(), ended ? failed.end() : again.begin());
            if (ended) co_return whole;
            keys.clear();
            for (auto const& each : again) keys.push_back(each.key);
            co_await time_.sleep_for(*wait);
        }
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        return next_.put_if_absent(std::move(key), std::move(content));
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        return next_.put_if_match(std::move(key), std::move(content), std::move(expected));
    }
    std::shared_ptr<retry_tokens> tokens() const override { return tokens_; }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    template <class T, class Send>
    task<T> repeat(Send const& send, diagnostics about, effect kind)
    {
        backoff pace(limits_, time_.since_boot());
        attempt_log log(time_.since_boot());
        call_deadline until(time_, total_, std::move(about));
        auto const late = kind == effect::reads ? errc::unavailable : errc::outcome_unknown;
        for (std::uint32_t attempts = 0;;) {
            auto request = send();
            auto answer = co_await until.within(std::move(request), late);
            attempts += attempts_of(answer);
            if (answer) {
                tokens_->succeeded(pace.attempts() > 1);
                answer->info.attempts = attempts;
                co_return answer;
            }
            auto const what = with_attempts(answer.error(), attempts);
            log.add(what, time_.since_boot());
            if (!may_repeat(what, kind)) {
                bool const is_answer = what == errc::not_found || what == errc::not_modified;
                if (is_answer) tokens_->succeeded(pace.attempts() > 1);
                if (is_answer) co_return what;
                co_return log.told(what);
            }
            auto const wait = pace.next(time_.since_boot(), chance_.next(), asked_for(what));
            if (!wait || !tokens_->take()) co_return log.told(what);
            co_await time_.sleep_for(*wait);
        }
    }

    object_store& next_;
    clock& time_;
    random& chance_;
    backoff_limits const limits_;
    std::chrono::milliseconds const total_;
    std::shared_ptr<retry_tokens> const tokens_;
};

}  // namespace

std::unique_ptr<object_store> make_retrying_store(object_store& next, clock& time, random& chance,
                                                  retry_options options)
{
    return std::make_unique<retrying_store>(next, time, chance, options);
}

}  // namespace headwater
