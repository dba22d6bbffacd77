// The small authority objects: format.json, stream metadata, names. FORMAT section 3.
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/format/record_parts.hpp"

#include <headwater/stream_metadata.hpp>

namespace headwater {

namespace {

using claim_type = graph_format::claim_type;
using state_type = graph_format::state_type;
using parent_type = stream_metadata::parent_type;
using retired_type = stream_metadata::retired_type;

constexpr member<claim_type> claim_members[] = {
    required<claim_type, &claim_type::operation>("operation"),
    required<claim_type, &claim_type::owner>("owner"),
};

constexpr member<retired_type> retired_members[] = {
    required<retired_type, &retired_type::at>("at"),
    required<retired_type, &retired_type::by>("by"),
    required<retired_type, &retired_type::final_seq>("final_seq"),
};

bool is_stream(json_reader& in, std::string const& text)
{
    return stream_id::parse(text).has_value() || in.fail("not the name of a stream");
}

constexpr member<parent_type> parent_members[] = {
    required<parent_type, &parent_type::stream, is_stream>("stream"),
    required<parent_type, &parent_type::seq>("seq"),
    nullable<parent_type, &parent_type::id>("commit_id"),
};

}  // namespace

static bool read_value(json_reader& in, claim_type& out) { return read_members(in, claim_members, out); }
static bool read_value(json_reader& in, retired_type& out) { return read_members(in, retired_members, out); }
static bool read_value(json_reader& in, parent_type& out) { return read_members(in, parent_members, out); }
static void write_value(json_writer& out, claim_type const& value) { write_object(out, claim_members, value); }
static void write_value(json_writer& out, retired_type const& value) { write_object(out, retired_members, value); }
static void write_value(json_writer& out, parent_type const& value) { write_object(out, parent_members, value); }

static bool read_value(json_reader& in, state_type& out)
{
    std::string name;
    if (!in.read(name)) return false;
    out = name == "pending" ? state_type::pending : state_type::active;
    return name == "active" || name == "pending" || in.fail("the state is neither `active` nor `pending`");
}

static void write_value(json_writer& out, state_type value)
{
    out.value(value == state_type::pending ? "pending" : "active");
}

namespace {

/// Always `graph_layout`; another is another reader's.
constexpr member<graph_format> layout_member{
    "layout",
    [](json_reader& in, graph_format&) {
        std::string found;
        if (!in.read(found)) return false;
        return found == graph_layout
               || in.fail(errc::unsupported, "the layout is `" + found + "`, this version reads only `"
                                                 + std::string(graph_layout) + "`: use a reader for it");
    },
    [](json_writer& out, std::string_view as, graph_format const&) {
        out.name(as);
        out.value(graph_layout);
    }};

constexpr member<graph_format> stamp_member{
    "storage_stamp",
    [](json_reader& in, graph_format&) {
        std::uint64_t found = 0;
        if (!in.read(found)) return false;
        return found == storage_stamp
               || in.fail(errc::unsupported, "the storage stamp is " + std::to_string(found)
                                                 + ", this version reads only " + std::to_string(storage_stamp)
                                                 + ": use a reader for that stamp");
    },
    [](json_writer& out, std::string_view as, graph_format const&) {
        out.name(as);
        out.value(storage_stamp);
    }};

bool is_ulid(json_reader& in, std::string const& text) { return parse_ulid(text).has_value() || in.fail("not a ULID"); }

bool is_interval(json_reader& in, std::uint64_t value)
{
    return (value > 0 && value <= max_checkpoint_interval) || in.fail("not from 1 to max_checkpoint_interval");
}

constexpr member<graph_format> format_members[] = {
    format_member<graph_format>(),
    layout_member,
    stamp_member,
    required<graph_format, &graph_format::identity_domain, is_ulid>("identity_domain"),
    required<graph_format, &graph_format::checkpoint_interval, is_interval>("checkpoint_interval"),
    required<graph_format, &graph_format::carry_limit>("carry_limit"),
    required<graph_format, &graph_format::state>("state"),
    required<graph_format, &graph_format::created_at, plausible_time>("created_at"),
    optional<graph_format, &graph_format::claim>("claim"),
    optional<graph_format, &graph_format::converted_from>("converted_from"),
};

bool leaves_room(json_reader& in, sequence floor)
{
    return floor < last_sequence || in.fail("above the greatest seq that a record may have");
}

constexpr member<stream_metadata> metadata_members[] = {
    format_member<stream_metadata>(),
    required<stream_metadata, &stream_metadata::stream>("stream"),
    required<stream_metadata, &stream_metadata::logical>("logical"),
    nullable<stream_metadata, &stream_metadata::parent>("parent"),
    required<stream_metadata, &stream_metadata::creator>("creator"),
    required<stream_metadata, &stream_metadata::created_at, plausible_time>("created_at"),
    required<stream_metadata, &stream_metadata::floor, leaves_room>("floor"),
    nullable<stream_metadata, &stream_metadata::retired>("retired"),
};

constexpr member<branch_pointer> pointer_members[] = {
    format_member<branch_pointer>(),
    required<branch_pointer, &branch_pointer::logical>("logical"),
    required<branch_pointer, &branch_pointer::stream, is_stream>("stream"),
};

}  // namespace

static bool read_value(json_reader& in, graph_format& out) { return read_members(in, format_members, out); }
static bool read_value(json_reader& in, stream_metadata& out) { return read_members(in, metadata_members, out); }
static bool read_value(json_reader& in, branch_pointer& out) { return read_members(in, pointer_members, out); }
static void write_value(json_writer& out, graph_format const& value) { write_object(out, format_members, value); }
static void write_value(json_writer& out, stream_metadata const& value) { write_object(out, metadata_members, value); }
static void write_value(json_writer& out, branch_pointer const& value) { write_object(out, pointer_members, value); }

result<graph_format> decode_graph_format(std::string_view json)
{
    return decode_object<graph_format>(json, metadata_limit, layout::format(),
                                       [](json_reader&, graph_format const&) { return true; });
}

result<bytes> encode(graph_format const& value)
{
    return encode_object(value, metadata_limit, layout::format(), decode_graph_format);
}

result<stream_metadata> decode_stream_metadata(std::string_view json, stream_id const& stream)
{
    auto const belongs = [&](json_reader& in, stream_metadata const& value) {
        return is_keys(in, "stream", value.stream, stream.text())
               && is_keys(in, "logical", value.logical, stream.logical().text())
               && (!value.parent || value.parent->stream != value.stream || in.fail("a stream is its own parent"));
    };
    return decode_object<stream_metadata>(json, metadata_limit, layout::metadata(stream), belongs);
}

result<bytes> encode(stream_metadata const& value)
{
    auto const stream = stream_id::parse(value.stream);
    if (!stream) return stream.error();
    auto const decode = [&](std::string_view json) { return decode_stream_metadata(json, *stream); };
    return encode_object(value, metadata_limit, layout::metadata(*stream), decode);
}

result<branch_pointer> decode_branch_pointer(std::string_view json, branch_name const& name)
{
    auto const belongs = [&](json_reader& in, branch_pointer const& value) {
        return is_keys(in, "logical", value.logical, name.text())
               && is_keys(in, "stream", stream_id::parse(value.stream)->logical().text(), name.text());
    };
    return decode_object<branch_pointer>(json, metadata_limit, layout::name(name), belongs);
}

result<bytes> encode(branch_pointer const& value)
{
    auto const name = branch_name::parse(value.logical);
    if (!name) return name.error();
    auto const decode = [&](std::string_view json) { return decode_branch_pointer(json, *name); };
    return encode_object(value, metadata_limit, layout::name(*name), decode);
}

}  // namespace headwater
