// nlohmann::ordered_json keeps members in order and integers exact.
#include "tools/headwater/print_parts.hpp"

#include <algorithm>

namespace headwater::cli {

namespace {

// Columns on a terminal, near enough: characters, not bytes.
std::size_t width_of(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace

std::string dumped(json const& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json_object& json_object::add_raw(std::string_view name, std::string_view value)
{
    text_ += text_.empty() ? '{' : ',';
    text_ += dumped(name);
    text_ += ':';
    text_ += value;
    return *this;
}

json json_of(cost const& spent)
{
    return {{"requests", spent.requests},     {"open_requests", spent.open_requests},
            {"attempts", spent.attempts},     {"rounds", spent.rounds},
            {"bytes_read", spent.bytes_read}, {"bytes_written", spent.bytes_written}};
}

json json_of(std::optional<commit_id> const& id) { return id ? json(id->text()) : json(); }

json json_of(std::optional<schema_identity> const& schema)
{
    if (!schema) return json();
    return {{"identity_domain", schema->identity_domain},
            {"ir_hash", schema->ir_hash},
            {"identity_version", schema->identity_version},
            {"content_hash", schema->content_hash}};
}

std::string counted(std::uint64_t count, std::string_view what)
{
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

std::string field(std::string_view name, std::string_view value)
{
    constexpr std::size_t width = 10;
    std::string out(name);
    out.resize(std::max(width, name.size() + 1), ' ');
    return out + std::string(value) + '\n';
}

std::string identity_text(table_identity const& table)
{
    return std::to_string(table.stable_table_id) + '/' + std::to_string(table.incarnation);
}

std::string columns_text(std::vector<text_row> const& rows, std::string_view sides)
{
    std::vector<std::size_t> widths(sides.size());
    for (auto const& each : rows) {
        for (std::size_t at = 0; at < sides.size(); ++at) {
            auto const width = width_of(each[at]);
            if (width <= max_column_width) widths[at] = std::max(widths[at], width);
        }
    }
    std::string out;
    for (auto const& each : rows) {
        for (std::size_t at = 0; at < sides.size(); ++at) {
            std::string const padding(widths[at] - std::min(widths[at], width_of(each[at])), ' ');
            if (at > 0) out += "  ";
            if (sides[at] == '>') out += padding;
            out += each[at];
            if (sides[at] == '<' && at + 1 < sides.size()) out += padding;
        }
        out += '\n';
    }
    return out;
}

}  // namespace headwater::cli
