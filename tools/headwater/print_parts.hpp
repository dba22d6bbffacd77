// print_parts: what the files that print share: JSON whose members may be bytes of the store, and columns for people.
#pragma once

#include <headwater/cost.hpp>
#include <headwater/record.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

using json = nlohmann::ordered_json;

/// Text of a store or a command line may be no UTF-8; a message about it must still be JSON.
std::string dumped(json const& value);

/// One object whose members may be bytes that must not be written anew.
class json_object {
public:
    json_object& add(std::string_view name, json const& value) { return add_raw(name, dumped(value)); }
    json_object& add_raw(std::string_view name, std::string_view value);
    std::string text() && { return std::move(text_) + '}'; }
    std::string line() && { return std::move(text_) + "}\n"; }

private:
    std::string text_;
};

json json_of(cost const& spent);
json json_of(std::optional<commit_id> const& id);
json json_of(std::optional<schema_identity> const& schema);

/// `1 commit`, `2 commits`
std::string counted(std::uint64_t count, std::string_view what);
/// One line: a name, padded, and its value.
std::string field(std::string_view name, std::string_view value);
/// `12/3`
std::string identity_text(table_identity const& table);

using text_row = std::vector<std::string>;
/// What is wider stands whole in its row and widens no other: one long key must not be paid for in each row.
inline constexpr std::size_t max_column_width = 64;
/// Columns with two spaces between them; `sides` has `<` or `>` for each: words stand to the left, numbers to the
/// right.
std::string columns_text(std::vector<text_row> const& rows, std::string_view sides);

}  // namespace headwater::cli
