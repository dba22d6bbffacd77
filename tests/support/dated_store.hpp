// dated_store: a store whose clock is not the client's: its answers carry a Date, and it and every Last-Modified are
// off by as much. Or one that tells no Last-Modified at all.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headwater::test {

class dated_store final : public object_store {
public:
    /// `ahead_by`: of `time`; nothing: no Last-Modified is told.
    dated_store(object_store& next, clock& time, std::optional<std::chrono::milliseconds> ahead_by)
        : next_(next), time_(time), ahead_by_(ahead_by)
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        auto answer = co_await next_.get(std::move(key), options);
        if (!answer) co_return answer;
        answer->last_modified = told(answer->last_modified);
        answer->info.date = told(time_.now());
        co_return answer;
    }
    task<object_meta> head(object_key key) override
    {
        auto answer = co_await next_.head(std::move(key));
        if (answer) answer->last_modified = told(answer->last_modified);
        co_return answer;
    }
    task<put_answer> put(object_key key, bytes content) override { return next_.put(std::move(key), content); }
    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        return next_.put_if_absent(std::move(key), content);
    }
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        return next_.put_if_match(std::move(key), content, expected);
    }
    task<list_page> list(std::string prefix, list_options options) override
    {
        auto page = co_await next_.list(std::move(prefix), options);
        if (!page) co_return page;
        for (auto& row : page->objects) row.last_modified = told(row.last_modified);
        co_return page;
    }
    task<remove_answer> remove(object_key key) override { return next_.remove(std::move(key)); }
    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        return next_.remove_many(std::move(keys));
    }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return next_.address(); }

private:
    std::optional<time_ms> told(std::optional<time_ms> when) const
    {
        if (!when || !ahead_by_) return std::nullopt;
        return *when + *ahead_by_;
    }

    object_store& next_;
    clock& time_;
    std::optional<std::chrono::milliseconds> ahead_by_;
};

}  // namespace headwater::test
