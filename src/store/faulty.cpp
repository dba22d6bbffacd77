// faulty: loses, delays, tears and cancels what a plan names. Stands where a network would, in tests and simulations.
#include <headwater/stores.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

namespace headwater {

namespace {

namespace asio = boost::asio;

[[noreturn]] void throw_cancelled() { throw boost::system::system_error(asio::error::operation_aborted); }

class faulty_store final : public object_store {
public:
    faulty_store(object_store& next, clock& time, fault_plan plan, std::chrono::milliseconds late_by)
        : next_(next), time_(time), plan_(std::move(plan)), late_by_(late_by)
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        auto const what = choose("get", key.text(), false);
        if (auto failed = before(what, "get", key, errc::unavailable)) co_return *failed;
        auto answer = co_await next_.get(std::move(key), options);
        if (what == fault::cancelled_after) throw_cancelled();
        if (what == fault::torn && answer) {
            answer->content = bytes(answer->content.view().substr(0, answer->content.size() / 2));
        }
        co_return answer;
    }

    task<object_meta> head(object_key key) override
    {
        auto const what = choose("head", key.text(), false);
        if (auto failed = before(what, "head", key, errc::unavailable)) co_return *failed;
        auto answer = co_await next_.head(std::move(key));
        if (what == fault::cancelled_after) throw_cancelled();
        co_return answer;
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        auto again = [&next = next_, key, content] { return next.put(key, content); };
        return write<put_answer>("put", std::move(key), std::move(again));
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        auto again = [&next = next_, key, content] { return next.put_if_absent(key, content); };
        return write<create_answer>("put_if_absent", std::move(key), std::move(again));
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        auto again = [&next = next_, key, content, expected] { return next.put_if_match(key, content, expected); };
        return write<update_answer>("put_if_match", std::move(key), std::move(again));
    }

    task<remove_answer> remove(object_key key) override
    {
        auto again = [&next = next_, key] { return next.remove(key); };
        return write<remove_answer>("remove", std::move(key), std::move(again));
    }

    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        object_key const first = keys.empty() ? object_key() : keys.front();
        auto again = [&next = next_, keys] { return next.remove_many(keys); };
        return write<remove_many_answer>("remove_many", first, std::move(again));
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        auto const what = choose("list", prefix, false);
        object_key const at(prefix);
        if (auto failed = before(what, "list", at, errc::unavailable)) co_return *failed;
        auto answer = co_await next_.list(std::move(prefix), options);
        if (what == fault::cancelled_after) throw_cancelled();
        co_return answer;
    }

    std::shared_ptr<retry_tokens> tokens() const override { return next_.tokens(); }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    fault choose(std::string_view operation, std::string_view key, bool writes)
    {
        store_call call;
        call.number = ++calls_;
        call.operation = operation;
        call.key = key;
        call.writes = writes;
        return plan_(call);
    }

    // What a call answers without reaching the store; nothing: it reaches it.
    std::optional<error> before(fault what, char const* operation, object_key const& key, errc lost) const
    {
        diagnostics why(operation, key.text(), "a planned fault");
        switch (what) {
        case fault::cancelled: throw_cancelled();
        case fault::refused: why.status = 403; return error(errc::access_denied, std::move(why));
        case fault::unavailable: why.status = 503; return error(errc::unavailable, std::move(why));
        case fault::torn:
            if (lost == errc::unavailable) return std::nullopt;
            return error(lost, std::move(why));
        case fault::unknown_applied:
            if (lost == errc::outcome_unknown) return std::nullopt;
            return error(lost, std::move(why));
        case fault::unknown_lost:
        case fault::unknown_late: return error(lost, std::move(why));
        case fault::none:
        case fault::cancelled_after: return std::nullopt;
        }
        return std::nullopt;
    }

    template <class Answer, class Again>
    static asio::awaitable<void> happen_late(clock& time, std::chrono::milliseconds late_by, Again again)
    {
        co_await time.sleep_for(late_by);
        auto const ignored = co_await again();
        (void)ignored;
    }

    template <class Answer, class Again>
    task<Answer> write(char const* operation, object_key key, Again again)
    {
        auto const what = choose(operation, key.text(), true);
        auto failed = before(what, operation, key, errc::outcome_unknown);
        if (what == fault::unknown_late) {
            auto const executor = co_await asio::this_coro::executor;
            auto late = happen_late<Answer>(time_, late_by_, std::move(again));
            asio::co_spawn(executor, std::move(late), asio::detached);
            co_return *failed;
        }
        if (failed) co_return *failed;
        auto answer = co_await again();
        if (what == fault::cancelled_after) throw_cancelled();
        if (what == fault::unknown_applied) {
            co_return error(errc::outcome_unknown, diagnostics(operation, key.text(), "a planned fault"));
        }
        co_return answer;
    }

    object_store& next_;
    clock& time_;
    fault_plan plan_;
    std::chrono::milliseconds late_by_;
    std::uint64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<object_store> make_faulty_store(object_store& next, clock& time, fault_plan plan,
                                                std::chrono::milliseconds late_by)
{
    return std::make_unique<faulty_store>(next, time, std::move(plan), late_by);
}

}  // namespace headwater
