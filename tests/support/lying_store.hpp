// lying_store: a store that misbehaves in one way of which vendors are guilty, to try what must find it out.
#pragma once

#include <headwater/object_store.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace headwater::test {

enum class lie {
    none,
    ignores_if_none_match,
    ignores_if_match,
    lets_two_win,
    replaces_when_lost,
    refuses_creates,
    refuses_listings,
    hides_from_listings,
    claims_order,
    learns_disorder,  ///< Claims it too, until a page shows otherwise, as the adapters of vendors do.
    cannot_list,
    is_unreachable,
};

class lying_store final : public object_store {
public:
    lying_store(object_store& next, lie how) : next_(next), how_(how) {}

    task<object> get(object_key key, get_options options) override { return next_.get(std::move(key), options); }
    task<object_meta> head(object_key key) override { return next_.head(std::move(key)); }
    task<put_answer> put(object_key key, bytes content) override { return next_.put(std::move(key), content); }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        if (how_ == lie::refuses_creates) co_return error(errc::unsupported, "no such header");
        if (how_ == lie::is_unreachable) co_return error(errc::unavailable, "nobody answers");
        auto answer = co_await next_.put_if_absent(key, content);
        bool const wins_falsely = how_ == lie::ignores_if_none_match || (how_ == lie::lets_two_win && ++creates_ == 7);
        if (!answer || answer->created || !(wins_falsely || how_ == lie::replaces_when_lost)) co_return answer;
        auto const replaced = co_await next_.put(key, content);
        answer->created = wins_falsely;
        answer->tag = replaced->tag;
        answer->info.status = wins_falsely ? 200 : 412;
        answer->info.request_id = "tx1";
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        if (how_ != lie::ignores_if_match) {
            auto answer = co_await next_.put_if_match(std::move(key), std::move(content), std::move(expected));
            co_return answer;
        }
        auto const replaced = co_await next_.put(std::move(key), std::move(content));
        update_answer answer;
        answer.tag = replaced->tag;
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        if (how_ == lie::refuses_listings)
            co_return error(errc::access_denied, diagnostics("list", prefix, "not for you"));
        if (how_ == lie::cannot_list) co_return error(errc::unavailable, "an internal error");
        auto page = co_await next_.list(std::move(prefix), options);
        if (how_ == lie::hides_from_listings && !page->objects.empty()) page->objects.pop_back();
        if (page)
            learned_ |= !std::ranges::is_sorted(page->objects, {}, [](auto const& row) { return row.key.text(); });
        co_return page;
    }

    task<remove_answer> remove(object_key key) override { return next_.remove(std::move(key)); }
    store_capabilities capabilities() const override
    {
        auto out = next_.capabilities();
        out.ordered_listing |= how_ == lie::claims_order || (how_ == lie::learns_disorder && !learned_);
        return out;
    }
    std::string const& address() const override { return next_.address(); }

private:
    object_store& next_;
    lie const how_;
    int creates_ = 0;
    bool learned_ = false;
};

}  // namespace headwater::test
