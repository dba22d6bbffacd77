// What a caller expects of live heads; comes from callers alone, so a member that nobody knows is a typo.
#include "src/format/codec.hpp"
#include "src/format/record_parts.hpp"

#include <headwater/heads.hpp>

namespace headwater {

namespace {

constexpr member<expected_head> expected_head_members[] = {
    stable_table_id_member<expected_head>,
    incarnation_member<expected_head>,
    optional<expected_head, &expected_head::table_key>("table_key"),
    optional<expected_head, &expected_head::schema_hash>("schema_hash"),
};

bool read_value(json_reader& in, expected_head& out) { return read_members(in, expected_head_members, out); }

}  // namespace

result<std::vector<expected_head>> decode_expected_heads(std::string_view json)
{
    if (auto refusal = above(record_limit, json.size(), "expected heads")) return *std::move(refusal);
    json_reader in(json, json_reader::unknown_members::refused);
    std::vector<expected_head> out;
    for (in.enter_array(); in.next_element();) {
        if (!read_value(in, out.emplace_back())) break;
    }
    if (in.ok() && in.at_end()) return out;
    return error(errc::invalid_argument, *in.failure("expected heads").why());
}

}  // namespace headwater
