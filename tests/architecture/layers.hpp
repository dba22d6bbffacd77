// The layers of ARCHITECTURE.md as a table, and what breaks them: an #include that points upward, a token outside its
// home.
#pragma once

#include "tests/architecture/source_file.hpp"

#include <string_view>
#include <vector>

namespace headwater::architecture {

/// A folder and the folders of ours that it may include beside itself. What is not named is refused.
struct layer {
    std::string_view folder;
    std::vector<std::string_view> below;
};

/// Text that only files whose path begins with `home` may hold; an empty home: nobody may.
struct ban {
    std::string_view token;
    std::string_view home;
    std::string_view instead;
};

std::vector<layer> const& layers();
std::vector<ban> const& bans();

/// The layer that a path is in; null if none. The longest matching folder decides.
layer const* layer_of(std::string_view path);

/// Every rule that `file` breaks.
std::vector<finding> check_layers(source_file const& file);

}  // namespace headwater::architecture
