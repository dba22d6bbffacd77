// scripted_store: a store that answers what a test wrote down, in order, and remembers what it was asked.
#pragma once

#include <headwater/object_store.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::test {

/// What the store was asked.
struct scripted_call {
    std::string operation;
    std::string key;      ///< Of `list`: the prefix.
    std::string content;  ///< Of writes.
    std::string tag;      ///< The expected etag, `if_none_match`, or `start_after`.

    friend bool operator==(scripted_call const&, scripted_call const&) = default;
};

/// Every call yields once, then takes the next answer of its operation. Without one it fails the test.
class scripted_store final : public object_store {
public:
    std::deque<result<object>> gets;
    std::deque<result<object_meta>> heads;
    std::deque<result<put_answer>> puts;
    std::deque<result<create_answer>> creates;
    std::deque<result<update_answer>> updates;
    std::deque<result<list_page>> lists;
    std::deque<result<remove_answer>> removes;
    std::deque<result<remove_many_answer>> batches;

    std::vector<scripted_call> calls;
    clock* time = nullptr;  ///< With one, every answer takes so long.
    std::chrono::milliseconds takes{0};
    store_capabilities can{true, true, true, true};
    std::string called = "scripted:";

    task<object> get(object_key key, get_options options) override
    {
        calls.push_back({"get", key.text(), {}, std::string(options.if_none_match)});
        co_await yield();
        co_return next(gets);
    }

    task<object_meta> head(object_key key) override
    {
        calls.push_back({"head", key.text(), {}, {}});
        co_await yield();
        co_return next(heads);
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        calls.push_back({"put", key.text(), std::string(content.view()), {}});
        co_await yield();
        co_return next(puts);
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        calls.push_back({"put_if_absent", key.text(), std::string(content.view()), {}});
        co_await yield();
        co_return next(creates);
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        calls.push_back({"put_if_match", key.text(), std::string(content.view()), expected.text()});
        co_await yield();
        co_return next(updates);
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        calls.push_back({"list", prefix, {}, std::string(options.start_after)});
        co_await yield();
        co_return next(lists);
    }

    task<remove_answer> remove(object_key key) override
    {
        calls.push_back({"remove", key.text(), {}, {}});
        co_await yield();
        co_return next(removes);
    }

    /// As the port's own, key by key, unless answers of a batch are written down.
    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        if (batches.empty()) co_return co_await object_store::remove_many(std::move(keys));
        std::string all;
        for (auto const& each : keys) all += (all.empty() ? "" : " ") + each.text();
        calls.push_back({"remove_many", all, {}, {}});
        co_await yield();
        co_return next(batches);
    }

    store_capabilities capabilities() const override { return can; }
    std::string const& address() const override { return called; }

    /// The calls' operations, with spaces between them.
    std::string operations() const
    {
        std::string out;
        for (auto const& call : calls) out += (out.empty() ? "" : " ") + call.operation;
        return out;
    }

private:
    boost::asio::awaitable<void> yield()
    {
        if (time)
            co_await time->sleep_for(takes);
        else
            co_await boost::asio::post(boost::asio::use_awaitable);
    }

    template <class T>
    result<T> next(std::deque<result<T>>& answers)
    {
        if (answers.empty()) {
            ADD_FAILURE() << "no answer is left for: " << operations();
            return error(errc::protocol, "the script has ended");
        }
        auto answer = std::move(answers.front());
        answers.pop_front();
        return answer;
    }
};

/// Answers for the script.
inline result<create_answer> created(std::string_view tag)
{
    create_answer answer;
    answer.created = true;
    answer.tag = etag(std::string(tag));
    return answer;
}

inline result<create_answer> exists() { return create_answer(); }

inline result<update_answer> updated(std::string_view tag)
{
    update_answer answer;
    answer.tag = etag(std::string(tag));
    return answer;
}

inline result<object> found(std::string_view content, std::string_view tag)
{
    object answer;
    answer.content = bytes(content);
    answer.full_size = content.size();
    answer.tag = etag(std::string(tag));
    return answer;
}

}  // namespace headwater::test
