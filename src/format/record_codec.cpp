// The record's table, and its rules beyond single members. FORMAT section 3.
#include "src/format/codec.hpp"
#include "src/format/json_text.hpp"
#include "src/format/object_layout.hpp"
#include "src/format/record_parts.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

namespace {

constexpr member<carry> carry_members[] = {
    required<carry, &carry::base>("base"),
    required<carry, &carry::heads>("heads"),
    required<carry, &carry::tombstones>("tombstones"),
};

}  // namespace

static bool read_value(json_reader& in, carry& out) { return read_members(in, carry_members, out); }
static void write_value(json_writer& out, carry const& value) { write_object(out, carry_members, value); }

namespace {

constexpr member<record> record_members[] = {
    format_member<record>(),
    required<record, &record::seq>("seq"),
    required<record, &record::id>("commit_id"),
    nullable<record, &record::parent>("parent_commit_id"),
    required<record, &record::stream>("stream"),
    nullable<record, &record::actor>("actor"),
    required<record, &record::created_at, plausible_time>("created_at"),
    nullable<record, &record::schema>("schema"),
    required<record, &record::pins>("pins"),
    required<record, &record::registrations>("registrations"),
    required<record, &record::tombstones>("tombstones"),
    required<record, &record::renames>("renames"),
    nullable<record, &record::origin>("lineage"),
    nullable<record, &record::idempotency_key>("idempotency_key"),
    optional_object<record, &record::source>("source"),
    optional<record, &record::carried>("carry"),
    optional<record, &record::state_digest>("state_digest"),
};

}  // namespace

static bool read_value(json_reader& in, record& out) { return read_members(in, record_members, out); }
static void write_value(json_writer& out, record const& value) { write_object(out, record_members, value); }

result<record> decode_record(std::string_view json, stream_id const& stream, sequence seq)
{
    return decode_object<record>(json, record_limit, layout::record(stream, seq),
                                 [&](json_reader& in, record const& value) {
                                     if (!stands_at(in, value.stream, value.seq, stream, seq)) return false;
                                     if (seq == sequence() || seq > last_sequence)
                                         return in.fail_member("seq", "no record may have this seq");
                                     return !value.carried || value.carried->base < seq
                                            || in.fail_member("carry.base", "the base is not before the record");
                                 });
}

namespace {

/// What a pin or registration keeps goes into a head, and that into a carry's list, where it stands deeper: metadata
/// inside carry, heads, a head and its pin. A record whose heads no later record could carry is not written.
constexpr std::size_t max_metadata_nesting = max_json_depth - 5;
constexpr std::size_t max_unknown_nesting = max_json_depth - 4;
constexpr std::string_view too_deep_for_heads =
    "$.pins: metadata (59 levels at most) or an unknown member (60), of a pin or "
    "registration, is nested too deep for a head";

bool keeps_too_deep(std::vector<unknown_member> const& unknown)
{
    return std::ranges::any_of(unknown, [](auto const& each) { return nesting(each.text) > max_unknown_nesting; });
}

bool is_too_deep_for_heads(record const& value)
{
    return std::ranges::any_of(value.pins,
                               [](pin_change const& each) {
                                   auto const& metadata = each.version.metadata;
                                   return (metadata && nesting(*metadata) > max_metadata_nesting)
                                          || keeps_too_deep(each.unknown);
                               })
           || std::ranges::any_of(value.registrations,
                                  [](registration const& each) { return keeps_too_deep(each.unknown); });
}

}  // namespace

result<bytes> encode(record const& value)
{
    auto const stream = stream_id::parse(value.stream);
    if (!stream) return stream.error();
    auto const decode = [&](std::string_view json) { return decode_record(json, *stream, value.seq); };
    auto json = encode_object(value, record_limit, layout::record(*stream, value.seq), decode);
    if (json && is_too_deep_for_heads(value)) return error(errc::invalid_argument, std::string(too_deep_for_heads));
    return json;
}

}  // namespace headwater
