// clearing: removes again what a probe or a check has written, and says how much of it still stands.
#pragma once

#include "src/base/together.hpp"

#include <headwater/object_store.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headwater {

/// Whether the key is absent in the end.
inline task<bool> take_away(object_store& store, std::string key)
{
    object_key const name(std::move(key));
    auto const removed = co_await store.remove(name);
    if (removed) co_return true;
    // A store may stumble after it has removed the object, or never have taken this key.
    auto const there = co_await store.head(name);
    co_return !there && (there.error() == errc::not_found || there.error() == errc::invalid_argument);
}

/// How many of the keys still stand.
inline boost::asio::awaitable<std::size_t> clear(object_store& store, std::vector<std::string> const& keys)
{
    std::size_t left = 0;
    for (std::size_t at = 0; at < keys.size(); at += removals_at_once) {
        std::vector<task<bool>> removals;
        for (auto const& key : std::span(keys).subspan(at, std::min(removals_at_once, keys.size() - at))) {
            removals.push_back(take_away(store, key));
        }
        auto const gone = co_await together(std::move(removals));
        left += static_cast<std::size_t>(
            std::ranges::count_if(gone, [](auto const& each) { return !each || !each.value(); }));
    }
    co_return left;
}

}  // namespace headwater
