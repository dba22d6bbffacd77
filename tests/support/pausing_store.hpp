// pausing_store: passes every call on, but sleeps before one of them. With a virtual clock, which wakes a sleeper only
// when nobody else can go on, that makes any interleaving of a few actors.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headwater::test {

class pausing_store final : public object_store {
public:
    /// Sleeps before its `pause_at`-th call, counted from 1.
    pausing_store(object_store& next, clock& time, std::uint64_t pause_at, std::chrono::milliseconds length)
        : next_(next), time_(time), pause_at_(pause_at), length_(length)
    {
    }

    /// The number of calls so far.
    std::uint64_t calls() const noexcept { return calls_; }

    task<object> get(object_key key, get_options options) override
    {
        co_await pause();
        co_return co_await next_.get(std::move(key), options);
    }
    task<object_meta> head(object_key key) override
    {
        co_await pause();
        co_return co_await next_.head(std::move(key));
    }
    task<put_answer> put(object_key key, bytes content) override
    {
        co_await pause();
        co_return co_await next_.put(std::move(key), std::move(content));
    }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        co_await pause();
        co_return co_await next_.put_if_absent(std::move(key), std::move(content));
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        co_await pause();
        co_return co_await next_.put_if_match(std::move(key), std::move(content), std::move(expected));
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        co_await pause();
        co_return co_await next_.list(std::move(prefix), options);
    }
    task<remove_answer> remove(object_key key) override
    {
        co_await pause();
        co_return co_await next_.remove(std::move(key));
    }
    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        co_await pause();
        co_return co_await next_.remove_many(std::move(keys));
    }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    boost::asio::awaitable<void> pause()
    {
        if (++calls_ == pause_at_) co_await time_.sleep_for(length_);
    }

    object_store& next_;
    clock& time_;
    std::uint64_t pause_at_;
    std::chrono::milliseconds length_;
    std::uint64_t calls_ = 0;
};

}  // namespace headwater::test
