// record_parts: the JSON objects that records, checkpoints, tombstone sets and intents share. FORMAT sections 3 and 5.
#pragma once

#include "src/format/members.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/record.hpp>

#include <string_view>
#include <vector>

namespace headwater {

bool read_value(json_reader& in, schema_identity& out);
bool read_value(json_reader& in, pin& out);
bool read_value(json_reader& in, pin_change& out);
bool read_value(json_reader& in, registration& out);
bool read_value(json_reader& in, drop& out);
bool read_value(json_reader& in, rename& out);
/// `unsupported` if this version does not know the kind.
bool read_value(json_reader& in, lineage::kind_type& out);
bool read_value(json_reader& in, lineage& out);
bool read_value(json_reader& in, head& out);
bool read_value(json_reader& in, tombstone& out);
/// Sorted by stable_table_id, each once; each table_key once.
bool read_value(json_reader& in, std::vector<head>& out);
/// Sorted by identity, each once.
bool read_value(json_reader& in, std::vector<tombstone>& out);

void write_value(json_writer& out, schema_identity const& value);
void write_value(json_writer& out, pin const& value);
void write_value(json_writer& out, pin_change const& value);
void write_value(json_writer& out, registration const& value);
void write_value(json_writer& out, drop const& value);
void write_value(json_writer& out, rename const& value);
void write_value(json_writer& out, lineage::kind_type value);
void write_value(json_writer& out, lineage const& value);
void write_value(json_writer& out, head const& value);
void write_value(json_writer& out, tombstone const& value);

/// The members on the page and never others: what digests are taken over. Appends.
void write_canonical(json_writer& out, head const& value);
void write_canonical(json_writer& out, tombstone const& value);
void write_canonical(json_writer& out, state_header const& value);

/// The two members that are `table` in memory, of any T with one.
inline constexpr auto is_identity_part = [](json_reader& in, std::uint64_t part) {
    return part > 0 || in.fail("a table identity's parts are at least 1");
};
template <class T>
constexpr auto stable_table_id_member =
    required<T, [](auto& value) -> auto& { return value.table.stable_table_id; }, is_identity_part>("stable_table_id");
template <class T>
constexpr auto incarnation_member =
    required<T, [](auto& value) -> auto& { return value.table.incarnation; }, is_identity_part>("incarnation");

inline constexpr auto plausible_time = [](json_reader& in, std::uint64_t at) {
    return at < max_created_at_ms || in.fail("a time from 2^43 milliseconds (the year 2248) on");
};

}  // namespace headwater
