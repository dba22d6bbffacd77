// listing: the pages of one listing, one at a time. What a whole folder is read through.
#pragma once

#include <headwater/object_store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

class listing {
public:
    /// The most pages that one listing has.
    static constexpr std::size_t max_list_pages = 1'000'000;

    listing(object_store& store, std::string prefix, std::string_view delimiter = {})
        : store_(store), prefix_(std::move(prefix)), delimiter_(delimiter)
    {
    }
    /// Nothing after the last page. `limit_exceeded` names `max_list_pages`.
    task<std::optional<list_page>> next();

private:
    object_store& store_;
    std::string prefix_;
    std::string_view delimiter_;
    std::optional<std::string> continuation_;
    std::size_t pages_ = 0;
};

}  // namespace headwater
