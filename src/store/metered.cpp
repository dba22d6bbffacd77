// Counts every call, however it ends. Stands outermost, so that a call is what the log asked for; the attempts behind
// it come up from below in the answer.
#include "src/store/attempts.hpp"

#include <utility>

namespace headwater {

namespace {

// One call, from before it is sent until it is answered, fails or is cancelled.
class counted_call {
public:
    counted_call(meter& counts, cost_kind kind, std::uint64_t written = 0)
        : counts_(counts), round_(counts.begin(kind)), written_(written)
    {
    }
    counted_call(counted_call const&) = delete;
    counted_call& operator=(counted_call const&) = delete;
    ~counted_call() { counts_.end(round_, attempts_, read_, written_); }

    template <class T>
    void ended(result<T> const& answer) noexcept
    {
        attempts_ = attempts_of(answer);
    }
    void received(std::uint64_t size) noexcept { read_ = size; }

private:
    meter& counts_;
    std::uint64_t const round_;
    std::uint64_t const written_;
    std::uint64_t read_ = 0;
    std::uint32_t attempts_ = 1;
};

class metered_store final : public object_store {
public:
    metered_store(object_store& next, meter& counts, cost_kind kind) : next_(next), counts_(counts), kind_(kind) {}

    task<object> get(object_key key, get_options options) override
    {
        counted_call call(counts_, kind_);
        auto answer = co_await next_.get(std::move(key), options);
        call.ended(answer);
        if (answer) call.received(answer->content.size());
        co_return answer;
    }

    task<object_meta> head(object_key key) override
    {
        counted_call call(counts_, kind_);
        auto answer = co_await next_.head(std::move(key));
        call.ended(answer);
        co_return answer;
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        counted_call call(counts_, kind_, content.size());
        auto answer = co_await next_.put(std::move(key), std::move(content));
        call.ended(answer);
        co_return answer;
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        counted_call call(counts_, kind_, content.size());
        auto answer = co_await next_.put_if_absent(std::move(key), std::move(content));
        call.ended(answer);
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        counted_call call(counts_, kind_, content.size());
        auto answer = co_await next_.put_if_match(std::move(key), std::move(content), std::move(expected));
        call.ended(answer);
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        counted_call call(counts_, kind_);
        auto answer = co_await next_.list(std::move(prefix), options);
        call.ended(answer);
        co_return answer;
    }

    task<remove_answer> remove(object_key key) override
    {
        counted_call call(counts_, kind_);
        auto answer = co_await next_.remove(std::move(key));
        call.ended(answer);
        co_return answer;
    }

    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        counted_call call(counts_, kind_);
        auto answer = co_await next_.remove_many(std::move(keys));
        call.ended(answer);
        co_return answer;
    }

    std::shared_ptr<retry_tokens> tokens() const override { return next_.tokens(); }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    object_store& next_;
    meter& counts_;
    cost_kind const kind_;
};

}  // namespace

std::unique_ptr<object_store> make_metered_store(object_store& next, meter& counts, cost_kind kind)
{
    return std::make_unique<metered_store>(next, counts, kind);
}

}  // namespace headwater
