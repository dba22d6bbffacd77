// listing: the pages of one listing, one at a time. What a whole folder is read through. It ends whatever a store does:
// pages that lead back to one that was there, or whose keys do not go on, are no listing.
#pragma once

#include <headwater/object_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

/// Finds out that continuations repeat, however many are in the circle, with one of them in mind (Brent's algorithm):
/// within three times the pages up to the circle's end.
class circle_search {
public:
    /// False: `next` has been there before.
    bool goes_on(std::string_view next)
    {
        if (next == seen_) return false;
        if (++since_ < window_) return true;
        seen_ = next;
        since_ = 0;
        window_ *= 2;
        return true;
    }

private:
    std::string seen_;  ///< No continuation is empty.
    std::size_t since_ = 0;
    std::size_t window_ = 1;
};

class listing {
public:
    /// The most pages that one listing has.
    static constexpr std::size_t max_list_pages = 1'000'000;

    listing(object_store& store, std::string prefix, std::string_view delimiter = {},
            std::uint32_t max_keys = default_max_keys)
        : store_(store), prefix_(std::move(prefix)), delimiter_(delimiter), max_keys_(max_keys)
    {
    }
    /// Nothing after the last page. `limit_exceeded` names `max_list_pages`; `protocol`: the pages lead back.
    task<std::optional<list_page>> next();

private:
    bool follows(list_page const& page);

    object_store& store_;
    std::string prefix_;
    std::string_view delimiter_;
    std::uint32_t max_keys_;
    std::optional<std::string> continuation_;
    std::string last_key_;
    circle_search circle_;
    std::size_t pages_ = 0;
};

}  // namespace headwater
