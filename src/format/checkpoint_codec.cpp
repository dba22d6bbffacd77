// Checkpoints and tombstone sets, and the digests over their canonical bytes. FORMAT sections 3 and 5.
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/format/record_parts.hpp"

#include <headwater/checkpoint.hpp>

namespace headwater {

namespace {

bool is_digest(json_reader& in, std::string const& hex)
{
    return set_digest::parse(hex) || in.fail("a digest has 64 lower-case hex digits");
}

constexpr member<tombstoned_summary> summary_members[] = {
    required<tombstoned_summary, &tombstoned_summary::count>("count"),
    required<tombstoned_summary, &tombstoned_summary::digest>("digest"),
    nullable<tombstoned_summary, &tombstoned_summary::set, is_digest>("set"),
    required<tombstoned_summary, &tombstoned_summary::since>("since"),
};

/// The content of a tombstones object.
struct tombstone_object {
    std::vector<tombstone> tombstones;

    friend bool operator==(tombstone_object const&, tombstone_object const&) = default;
};

constexpr member<tombstone_object> set_members[] = {
    format_member<tombstone_object>(),
    required<tombstone_object, &tombstone_object::tombstones>("tombstones"),
};

bool read_value(json_reader& in, tombstone_object& out) { return read_members(in, set_members, out); }
void write_value(json_writer& out, tombstone_object const& value) { write_object(out, set_members, value); }

/// Adds the canonical bytes of each; one buffer serves them all.
template <class T>
void add_each(set_digest& digest, std::vector<T> const& list, std::string& buffer)
{
    for (auto const& each : list) {
        buffer.clear();
        json_writer out(buffer);
        write_canonical(out, each);
        digest.add(buffer);
    }
}

set_digest digest_of(std::vector<tombstone> const& set)
{
    set_digest digest;
    std::string buffer;
    add_each(digest, set, buffer);
    return digest;
}

/// The set that a summary names and its later tombstones must together be what its count and digest say.
bool is_consistent(json_reader& in, tombstoned_summary const& value)
{
    bool const counts = value.set ? value.count > value.since.size() : value.count == value.since.size();
    if (!counts) return in.fail_member("count", "the count does not fit `set` and `since`");
    auto sum = digest_of(value.since);
    if (value.set) sum.add(*set_digest::parse(*value.set));
    return sum == value.digest || in.fail_member("digest", "the digest is not the sum of `set` and `since`");
}

template <class T>
std::string canonical(T const& value)
{
    std::string text;
    json_writer out(text);
    write_canonical(out, value);
    return text;
}

template <auto Member>
constexpr auto of_header = [](auto& value) -> auto& { return value.header.*Member; };

}  // namespace

static bool read_value(json_reader& in, tombstoned_summary& out)
{
    return read_members(in, summary_members, out) && is_consistent(in, out);
}

static void write_value(json_writer& out, tombstoned_summary const& value)
{
    write_object(out, summary_members, value);
}

namespace {

constexpr member<checkpoint> checkpoint_members[] = {
    format_member<checkpoint>(),
    required<checkpoint, &checkpoint::stream>("stream"),
    required<checkpoint, of_header<&state_header::seq>>("seq"),
    nullable<checkpoint, of_header<&state_header::head_commit_id>>("head_commit_id"),
    required<checkpoint, of_header<&state_header::created_at>, plausible_time>("created_at"),
    nullable<checkpoint, of_header<&state_header::schema>>("schema"),
    required<checkpoint, &checkpoint::heads>("heads"),
    required<checkpoint, &checkpoint::tombstoned>("tombstoned"),
    required<checkpoint, &checkpoint::state_digest>("state_digest"),
};

}  // namespace

static bool read_value(json_reader& in, checkpoint& out) { return read_members(in, checkpoint_members, out); }
static void write_value(json_writer& out, checkpoint const& value) { write_object(out, checkpoint_members, value); }

result<checkpoint> decode_checkpoint(std::string_view json, stream_id const& stream, sequence seq)
{
    auto const key = layout::checkpoint(stream, seq);
    return decode_object<checkpoint>(json, checkpoint_limit, key, [&](json_reader& in, checkpoint const& value) {
        if (!stands_at(in, value.stream, value.header.seq, stream, seq)) return false;
        return value.header.head_commit_id.has_value() == (seq > sequence())
               || in.fail_member("head_commit_id", "the head commit is null at seq 0, and only there");
    });
}

result<bytes> encode(checkpoint const& value)
{
    auto const stream = stream_id::parse(value.stream);
    if (!stream) return stream.error();
    auto const decode = [&](std::string_view json) { return decode_checkpoint(json, *stream, value.header.seq); };
    return encode_object(value, checkpoint_limit, layout::checkpoint(*stream, value.header.seq), decode);
}

set_digest digest_of(checkpoint const& value)
{
    auto digest = value.tombstoned.digest;
    std::string buffer;
    json_writer out(buffer);
    write_canonical(out, value.header);
    digest.add(buffer);
    add_each(digest, value.heads, buffer);
    return digest;
}

std::string canonical_bytes(head const& value) { return canonical(value); }
std::string canonical_bytes(tombstone const& value) { return canonical(value); }
std::string canonical_bytes(state_header const& value) { return canonical(value); }

std::string encode(head const& value)
{
    std::string text;
    json_writer out(text);
    write_value(out, value);
    return text;
}

result<bytes> encode_tombstones(std::vector<tombstone> const& set)
{
    auto const digest = digest_of(set).hex();
    auto const decode = [&](std::string_view json) -> result<tombstone_object> {
        auto back = decode_tombstones(json, digest);
        if (!back) return back.error();
        return tombstone_object{*std::move(back)};
    };
    return encode_object(tombstone_object{set}, checkpoint_limit, layout::tombstones(digest), decode);
}

result<std::vector<tombstone>> decode_tombstones(std::string_view json, std::string_view digest)
{
    auto const key = layout::tombstones(digest);
    auto const is_named = [&](json_reader& in, tombstone_object const& value) {
        auto const actual = digest_of(value.tombstones).hex();
        return actual == digest || in.fail_member("tombstones", "the digest is " + actual + ", the key says otherwise");
    };
    auto set = decode_object<tombstone_object>(json, checkpoint_limit, key, is_named);
    if (!set) return set.error();
    return std::move(set->tombstones);
}

}  // namespace headwater
