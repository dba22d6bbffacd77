// Settles conditional writes: after an end that says nothing it sends the same bytes again until the store tells who
// has the name (STORE section 2). Stands next to the adapter, under retrying.
//
// It also repeats conditional writes that did nothing (`unavailable`), and retrying lets these calls pass: only here
// is it known whether an earlier request may still be applied, so one memory, one budget and one count of attempts
// cover all requests of a call, read-backs too.
#include "src/store/attempts.hpp"
#include "src/store/call_deadline.hpp"
#include "src/store/settle_step.hpp"

#include <utility>

namespace headwater {

namespace {

// A call's requests so far, folded into what the answer needs.
struct settled {
    settled(clock& time, std::chrono::milliseconds total, diagnostics about)
        : until(time, total, std::move(about)), log(time.since_boot())
    {
    }

    call_deadline until;
    settle_action action = settle_action::send;
    etag tag;
    bool bare_etag = false;  ///< Of the update that was answered.
    bool earlier_unknown = false;
    answer_info info{{}, 0};
    error refusal;  ///< What the last write ended with; where that was an answer, why it cannot be read back.
    std::optional<std::chrono::nanoseconds> asked;  ///< The wait that the last answer asks for.
    attempt_log log;
};

class settling_store final : public object_store {
public:
    settling_store(object_store& next, clock& time, random& chance, retry_options options)
        : next_(next),
          time_(time),
          chance_(chance),
          limits_(limits_of(options)),
          total_(options.deadline),
          tokens_(tokens_of(options, next))
    {
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        etag none;
        auto const end = co_await settle(settled_write::create, key, content, none);
        if (!is_answer(end.action)) co_return end.log.told(failure_of(end, key));
        create_answer answer;
        answer.created = end.action == settle_action::won;
        answer.tag = end.tag;
        answer.earlier_unknown = end.earlier_unknown;
        answer.info = end.info;
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        auto const end = co_await settle(settled_write::update, key, content, expected);
        if (!is_answer(end.action)) co_return end.log.told(failure_of(end, key));
        if (end.action == settle_action::lost) co_return failure_of(end, key);
        update_answer answer;
        answer.tag = end.tag;
        answer.bare_etag = end.bare_etag;
        answer.earlier_unknown = end.earlier_unknown;
        answer.info = end.info;
        co_return answer;
    }

    task<object> get(object_key key, get_options options) override { return next_.get(std::move(key), options); }
    task<object_meta> head(object_key key) override { return next_.head(std::move(key)); }
    task<put_answer> put(object_key key, bytes content) override
    {
        return next_.put(std::move(key), std::move(content));
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        return next_.list(std::move(prefix), options);
    }
    task<remove_answer> remove(object_key key) override { return next_.remove(std::move(key)); }
    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        return next_.remove_many(std::move(keys));
    }
    std::shared_ptr<retry_tokens> tokens() const override { return tokens_; }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    boost::asio::awaitable<settled> settle(settled_write kind, object_key const& key, bytes const& content,
                                           etag const& expected)
    {
        auto const* const operation = kind == settled_write::create ? "put_if_absent" : "put_if_match";
        settled end(time_, total_, about_call(next_, operation, key.text()));
        settlement state(kind);
        backoff pace(limits_, time_.since_boot());
        for (;;) {
            bool const sends = end.action == settle_action::send;
            if (sends && kind == settled_write::create)
                end.action = state.after_write(co_await create(key, content, end));
            else if (sends)
                end.action = state.after_write(co_await update(key, content, expected, end));
            else
                end.action = state.after_read(co_await read_back(key, content, expected, end));
            end.earlier_unknown = state.earlier_unknown();
            if (end.action != settle_action::send && end.action != settle_action::read_back) {
                if (is_answer(end.action)) tokens_->succeeded(pace.attempts() > 1);
                co_return end;
            }

            // The first read-back follows an answer, so it need not wait.
            if (sends && end.action == settle_action::read_back) continue;
            bool goes_on = false;
            if (state.in_doubt())
                goes_on = co_await pursue(pace, end);
            else
                goes_on = co_await wait_again(pace, end);
            if (goes_on) continue;
            end.action = state.give_up();
            co_return end;
        }
    }

    boost::asio::awaitable<bool> wait_again(backoff& pace, settled const& end)
    {
        auto const wait = pace.next(time_.since_boot(), chance_.next(), end.asked);
        if (!wait || !tokens_->take()) co_return false;
        co_await time_.sleep_for(*wait);
        co_return true;
    }

    // A write in doubt goes on to its deadline. It pays for its repeats as every call does; while there are no tokens
    // it sends nothing, but for one request at the very end.
    boost::asio::awaitable<bool> pursue(backoff& pace, settled const& end)
    {
        for (;;) {
            auto const wait = pace.pursue(time_.since_boot(), chance_.next(), end.asked);
            if (!wait) co_return false;
            co_await time_.sleep_for(*wait);
            if (pace.is_over(time_.since_boot()) || tokens_->take()) co_return true;
        }
    }

    boost::asio::awaitable<write_end> create(object_key const& key, bytes const& content, settled& end)
    {
        auto request = next_.put_if_absent(key, content);
        auto const answer = co_await end.until.within(std::move(request), errc::outcome_unknown);
        note(answer, end);
        end.refusal = answer ? error() : answer.error();
        if (!answer) co_return end_of(answer.error());
        end.tag = answer->tag;
        co_return answer->created ? write_end::done : write_end::taken;
    }

    boost::asio::awaitable<write_end> update(object_key const& key, bytes const& content, etag const& expected,
                                             settled& end)
    {
        auto request = next_.put_if_match(key, content, expected);
        auto const answer = co_await end.until.within(std::move(request), errc::outcome_unknown);
        note(answer, end);
        end.refusal = answer ? error() : answer.error();
        if (!answer) co_return end_of(answer.error());
        end.tag = answer->tag;
        end.bare_etag = answer->bare_etag;
        co_return write_end::done;
    }

    // Asks for no more than tells our bytes from others: what is larger is another's, whatever its size, and what an
    // update expects is not sent at all.
    boost::asio::awaitable<read_end> read_back(object_key const& key, bytes const& content, etag const& expected,
                                               settled& end)
    {
        get_options options;
        options.if_none_match = expected.text();
        options.max_bytes = content.size();
        auto request = next_.get(key, options);
        auto const found = co_await end.until.within(std::move(request), errc::unavailable);
        note(found, end);
        if (found) {
            end.tag = found->tag;
            if (found->content == content) co_return read_end::same;
            bool const is_old = !expected.empty() && found->tag == expected;
            co_return is_old ? read_end::unchanged : read_end::different;
        }
        if (found.error() == errc::not_found) co_return read_end::absent;
        if (found.error() == errc::not_modified) co_return read_end::unchanged;
        if (found.error() == errc::limit_exceeded) co_return read_end::different;
        if (!end.refusal.code()) end.refusal = found.error();
        co_return read_end::unreadable;
    }

    static bool is_answer(settle_action action) noexcept
    {
        return action == settle_action::won || action == settle_action::lost;
    }

    template <class T>
    void note(result<T> const& answer, settled& end)
    {
        auto const attempts = end.info.attempts + attempts_of(answer);
        end.asked.reset();
        if (answer) {
            end.info = answer->info;
        } else {
            end.log.add(answer.error(), time_.since_boot());
            end.asked = asked_for(answer.error());
            if (answer.error().why()) end.info.date = answer.error().why()->date;
        }
        end.info.attempts = attempts;
    }

    static error failure_of(settled const& end, object_key const& key)
    {
        auto code = end.refusal.code();
        auto why = end.refusal.why() ? *end.refusal.why() : diagnostics();
        if (end.action == settle_action::in_doubt) code = make_error_code(errc::outcome_unknown);
        if (end.action == settle_action::lost) {
            code = make_error_code(errc::precondition_failed);
            if (end_of(end.refusal) != write_end::taken)
                why.detail = "another's bytes are there; before: " + why.detail;
        }
        why.key = key.text();
        why.attempts = end.info.attempts;
        if (end.earlier_unknown) why.facts.emplace_back("earlier_unknown", "true");
        return {code, std::move(why)};
    }

    object_store& next_;
    clock& time_;
    random& chance_;
    backoff_limits const limits_;
    std::chrono::milliseconds const total_;
    std::shared_ptr<retry_tokens> const tokens_;
};

}  // namespace

std::unique_ptr<object_store> make_settling_store(object_store& next, clock& time, random& chance,
                                                  retry_options options)
{
    return std::make_unique<settling_store>(next, time, chance, options);
}

}  // namespace headwater
