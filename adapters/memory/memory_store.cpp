// The memory adapter: a sorted map, with the semantics of an object store and none of its delays.
#include "adapters/local/listing.hpp"

#include <headwater/adapters/memory.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <map>
#include <tuple>

namespace headwater {

namespace {

struct entry {
    bytes content;
    etag tag;
    time_ms last_modified;
};

using entries = std::map<std::string, entry, std::less<>>;

boost::asio::awaitable<void> yield() { co_await boost::asio::post(boost::asio::use_awaitable); }

// FNV-1a: an order that looks like none, and is the same on every run.
std::uint64_t scramble(std::string_view name) noexcept
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (unsigned char const byte : name) hash = (hash ^ byte) * 0x100000001b3ULL;
    return hash;
}

local::listing_rows scrambled_page(std::vector<local::listing_row> rows, list_options const& options)
{
    auto const order = [](std::string_view name) { return std::tuple(scramble(name), name); };
    std::ranges::sort(rows, {}, [&](local::listing_row const& row) { return order(row.name); });
    std::erase_if(rows, [&](local::listing_row const& row) {
        return !options.continuation.empty() && order(row.name) <= order(options.continuation);
    });
    return local::cut_page(std::move(rows), options.max_keys);
}

class memory_store final : public object_store {
public:
    memory_store(clock& time, memory_options options) : time_(time), options_(options) {}

    task<object> get(object_key key, get_options options) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto const at = entries_.find(key.text());
        if (at == entries_.end()) co_return fail(errc::not_found, "get", key);
        co_return read(key, at->second, options);
    }

    task<object_meta> head(object_key key) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto const at = entries_.find(key.text());
        if (at == entries_.end()) co_return fail(errc::not_found, "head", key);
        auto meta = describe(at->first, at->second);
        meta.info = info();
        co_return meta;
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        put_answer answer(write(key, std::move(content)));
        answer.info = info();
        co_return answer;
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        create_answer answer;
        answer.info = info();
        auto const at = entries_.find(key.text());
        answer.created = at == entries_.end();
        answer.tag = answer.created ? write(key, std::move(content)) : at->second.tag;
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        if (!options_.conditional_update) co_return fail(errc::unsupported, "put_if_match", key);
        if (expected.empty()) co_return fail(errc::invalid_argument, "put_if_match", key, "the etag is empty");
        auto const at = entries_.find(key.text());
        if (at == entries_.end() || at->second.tag != expected) {
            co_return fail(errc::precondition_failed, "put_if_match", key);
        }
        update_answer answer;
        answer.tag = write(key, std::move(content));
        answer.info = info();
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        co_await yield();
        if (auto wrong = local::refuse(options)) co_return *wrong;
        auto const rows = rows_of_page(prefix, options);
        list_page page;
        page.info = info();
        page.next = rows.next;
        for (auto const& row : rows.rows) {
            if (row.is_prefix)
                page.common_prefixes.push_back(row.name);
            else
                page.objects.push_back(describe(row.name, entries_.find(row.name)->second));
        }
        co_return page;
    }

    task<remove_answer> remove(object_key key) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        if (auto const at = entries_.find(key.text()); at != entries_.end()) entries_.erase(at);
        co_return remove_answer(info());
    }

    store_capabilities capabilities() const override
    {
        return {options_.ordered_listing, true, options_.conditional_update, true};
    }

    std::string const& address() const override { return address_; }

private:
    answer_info info() const { return {time_.now(), 1}; }

    error fail(errc code, char const* operation, object_key const& key, char const* detail = "") const
    {
        diagnostics why(operation, key.text(), detail);
        why.store = address_;
        why.date = time_.now();
        return {code, std::move(why)};
    }

    static object_meta describe(std::string_view key, entry const& stored)
    {
        object_meta meta(object_key(key), stored.content.size(), stored.tag);
        meta.last_modified = stored.last_modified;
        return meta;
    }

    etag write(object_key const& key, bytes content)
    {
        entry stored{std::move(content), etag('"' + std::to_string(++versions_) + '"'), time_.now()};
        return entries_.insert_or_assign(key.text(), std::move(stored)).first->second.tag;
    }

    result<object> read(object_key const& key, entry const& stored, get_options const& options) const
    {
        if (!options.if_none_match.empty() && options.if_none_match == stored.tag.text()) {
            return fail(errc::not_modified, "get", key);
        }
        object answer;
        answer.content = stored.content;
        if (options.range) {
            auto const part = local::clip(*options.range, stored.content.size());
            if (!part) return fail(errc::invalid_argument, "get", key, "the range begins after the object's end");
            answer.content = bytes(stored.content.view().substr(part->first, part->last - part->first + 1));
        }
        if (answer.content.size() > options.max_bytes) {
            return fail(errc::limit_exceeded, "get", key, "the object is larger than max_bytes");
        }
        answer.tag = stored.tag;
        answer.last_modified = stored.last_modified;
        answer.full_size = stored.content.size();
        answer.info = info();
        return answer;
    }

    local::listing_rows rows_of_page(std::string_view prefix, list_options options) const
    {
        auto const key_of = [](entries::value_type const& one) -> std::string const& { return one.first; };
        if (options_.ordered_listing) {
            auto const enough = std::size_t(options.max_keys) + 1;
            return local::cut_page(local::rows_of(entries_, key_of, prefix, options, enough), options.max_keys);
        }
        auto all = options;
        all.continuation = {};
        return scrambled_page(local::rows_of(entries_, key_of, prefix, all, entries_.size()), options);
    }

    clock& time_;
    memory_options const options_;
    std::string const address_ = "memory:";
    entries entries_;
    std::uint64_t versions_ = 0;
};

}  // namespace

std::unique_ptr<object_store> make_memory_store(clock& time, memory_options options)
{
    return std::make_unique<memory_store>(time, options);
}

}  // namespace headwater
