// A decorator that takes as long as an object store does.
#include "bench/support/world.hpp"

namespace headwater::bench {

namespace {

class delayed_store final : public object_store {
public:
    delayed_store(object_store& next, clock& time, std::shared_ptr<delay_source> source)
        : next_(next), time_(time), source_(std::move(source))
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        co_await wait(false);
        co_return co_await next_.get(std::move(key), options);
    }
    task<object_meta> head(object_key key) override
    {
        co_await wait(false);
        co_return co_await next_.head(std::move(key));
    }
    task<put_answer> put(object_key key, bytes content) override
    {
        co_await wait(false);
        co_return co_await next_.put(std::move(key), std::move(content));
    }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        co_await wait(false);
        co_return co_await next_.put_if_absent(std::move(key), std::move(content));
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        co_await wait(false);
        co_return co_await next_.put_if_match(std::move(key), std::move(content), std::move(expected));
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        co_await wait(true);
        co_return co_await next_.list(std::move(prefix), options);
    }
    task<remove_answer> remove(object_key key) override
    {
        co_await wait(false);
        co_return co_await next_.remove(std::move(key));
    }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    boost::asio::awaitable<void> wait(bool listing)
    {
        auto const length = source_->next(listing, time_.since_boot());
        if (length.count() > 0) co_await time_.sleep_for(length);
    }

    object_store& next_;
    clock& time_;
    std::shared_ptr<delay_source> source_;
};

}  // namespace

std::unique_ptr<object_store> make_delayed_store(object_store& next, clock& time, std::shared_ptr<delay_source> source)
{
    return std::make_unique<delayed_store>(next, time, std::move(source));
}

}  // namespace headwater::bench
