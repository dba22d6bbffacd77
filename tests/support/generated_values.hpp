// Values of every kind from a seed, for tests that compare two ways to the same answer. The same seed gives the same
// values on every machine: nothing here uses the standard library's distributions.
#pragma once

#include <headwater/checkpoint.hpp>
#include <headwater/record.hpp>
#include <headwater/stream_metadata.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

class value_generator {
public:
    explicit value_generator(std::uint64_t seed) : chance_(seed) {}

    std::uint64_t below(std::uint64_t limit) { return chance_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    /// Small, huge, or at an edge where other number types break.
    std::uint64_t number()
    {
        static constexpr std::uint64_t edges[] = {
            0, 1, (1ull << 53) + 1, 1ull << 63, 9223372036854775901u, std::numeric_limits<std::uint64_t>::max()};
        if (one_in(3)) return edges[below(std::size(edges))];
        return chance_() >> below(64);
    }

    std::string text()
    {
        static constexpr std::string_view pieces[] = {
            "node:Person",      "a", "\"",      "\\", "\n", "\x01",        "\x7F", "\xC3\xA9",
            "\xF0\x9F\x98\x80", "/", "sha256:", " ",  "{",  "\xEF\xBF\xBF"};
        std::string out;
        for (auto left = below(6); left > 0; --left) out += pieces[below(std::size(pieces))];
        if (one_in(10)) out += '\0';
        return out;
    }

    std::string non_empty_text() { return 'x' + text(); }

    /// A JSON value: at most `depth` levels, without duplicate members.
    std::string json(int depth)
    {
        static constexpr std::string_view leaves[] = {"0",     "-1",   "1.5e-3", "18446744073709551616", "true",
                                                      "false", "null", "\"\"",   "\"\xC3\xA9\\n\"",      "[]",
                                                      "{}",    "[ ]"};
        if (depth == 0 || one_in(3)) return std::string(leaves[below(std::size(leaves))]);
        return one_in(2) ? json_object(depth) : json_array(depth);
    }

    std::string json_object(int depth)
    {
        std::string out = "{";
        auto const members = below(4);
        for (std::uint64_t at = 0; at < members; ++at) {
            out += at ? (one_in(4) ? " , " : ",") : "";
            out += "\"m" + std::to_string(at) + (one_in(4) ? "\" : " : "\":") + json(depth - 1);
        }
        return out + '}';
    }

    /// One to three small damages: a byte changed, dropped, doubled, or a piece copied elsewhere.
    std::string mutated(std::string value)
    {
        static constexpr std::string_view bytes = "{}[]:,\"\\ \n0159.-+eEutrnfalsx\x01\x80\xC3\xED\xF0\xFF";
        for (auto left = below(3); left > 0 && !value.empty(); --left) {
            auto const at = below(value.size());
            switch (below(4)) {
            case 0: value[at] = bytes[below(bytes.size())]; break;
            case 1: value.erase(at, 1); break;
            case 2: value.insert(at, 1, bytes[below(bytes.size())]); break;
            default: value.insert(below(value.size()), value.substr(at, below(8))); break;
            }
        }
        return value;
    }

    /// A JSON string of random escapes, surrogate pairs among them.
    std::string escaped_string()
    {
        static constexpr std::string_view pieces[] = {
            "\\n",     "\\\"",    "\\\\",           "\\/",     "\\b",      "\\f",     "\\r", "\\t", "\\u0000",
            "\\u00e9", "\\u20AC", "\\uD83d\\uDe00", "\\uFFFF", "abcdefgh", "\xC3\xA9"};
        std::string out = "\"";
        for (auto left = below(12); left > 0; --left) out += pieces[below(std::size(pieces))];
        return out + '"';
    }

    headwater::record record()
    {
        headwater::record value;
        value.stream = stream();
        value.seq = sequence(1 + number() % last_sequence.value());
        value.id = id();
        value.parent = maybe([&] { return id(); });
        value.actor = maybe([&] { return text(); });
        value.created_at = below(max_created_at_ms);
        value.schema = maybe([&] { return schema(); });
        value.pins = list([&] { return pin_change(); });
        value.registrations = list([&] { return registration(); });
        value.tombstones = list([&] { return drop(); });
        value.renames = list([&] { return rename(); });
        value.origin = maybe([&] { return lineage(); });
        value.idempotency_key = maybe([&] { return text(); });
        value.source = maybe([&] { return json_object(3); });
        value.carried = maybe([&] { return carry(value.seq); });
        value.state_digest = maybe([&] { return digest(); });
        value.unknown = unknown();
        return value;
    }

    headwater::checkpoint checkpoint()
    {
        headwater::checkpoint value;
        value.stream = stream();
        value.header.seq = sequence(number() % last_sequence.value());
        if (value.header.seq > sequence()) value.header.head_commit_id = id();
        value.header.created_at = below(max_created_at_ms);
        value.header.schema = maybe([&] { return schema(); });
        value.heads = heads();
        value.tombstoned = tombstoned();
        value.state_digest = digest_of(value);
        return value;
    }

    stream_metadata metadata()
    {
        stream_metadata value;
        value.stream = stream();
        value.logical = stream_id::parse(value.stream)->logical().text();
        if (one_in(2)) {
            value.parent = stream_metadata::parent_type();
            value.parent->stream = "parent.01ARZ3NDEKTSV4RRFFQ69G5FAV";
            value.parent->seq = sequence(number());
            value.parent->id = maybe([&] { return id(); });
            value.parent->unknown = unknown();
        }
        value.creator = text();
        value.created_at = below(max_created_at_ms);
        value.floor = sequence(std::min(number(), last_sequence.value() - 1));
        if (one_in(2)) {
            value.retired = stream_metadata::retired_type();
            value.retired->at = number();
            value.retired->by = text();
            value.retired->final_seq = sequence(number());
            value.retired->unknown = unknown();
        }
        value.unknown = unknown();
        return value;
    }

private:
    template <class Make>
    auto maybe(Make make) -> std::optional<decltype(make())>
    {
        if (one_in(2)) return {};
        return make();
    }

    template <class Make>
    auto list(Make make) -> std::vector<decltype(make())>
    {
        std::vector<decltype(make())> out(below(4));
        for (auto& each : out) each = make();
        return out;
    }

    std::string json_array(int depth)
    {
        std::string out = "[";
        auto const elements = below(4);
        for (std::uint64_t at = 0; at < elements; ++at) out += (at ? "," : "") + json(depth - 1);
        return out + ']';
    }

    std::string stream() { return one_in(2) ? "main" : "review/\xC3\xA9 1.01ARZ3NDEKTSV4RRFFQ69G5FAV"; }
    commit_id id() { return commit_id(non_empty_text()); }
    table_identity identity() { return {std::max<std::uint64_t>(1, number()), std::max<std::uint64_t>(1, number())}; }

    set_digest digest()
    {
        set_digest out;
        out.add(text());
        return out;
    }

    schema_identity schema()
    {
        schema_identity value;
        value.identity_domain = text();
        value.ir_hash = text();
        value.identity_version = number();
        value.content_hash = text();
        return value;
    }

    pin version()
    {
        pin value;
        value.target_version = number();
        value.staged_version = maybe([&] { return number(); });
        value.transaction_uuid = maybe([&] { return text(); });
        value.entity_count = number();
        value.table_branch = maybe([&] { return text(); });
        value.metadata = maybe([&] { return json_object(3); });
        return value;
    }

    headwater::pin_change pin_change()
    {
        headwater::pin_change value;
        value.table = identity();
        value.table_key = text();
        value.version = version();
        value.schema_hash = maybe([&] { return text(); });
        value.unknown = unknown();
        return value;
    }

    headwater::registration registration()
    {
        headwater::registration value;
        value.table = identity();
        value.table_key = text();
        value.location = text();
        value.schema_hash = maybe([&] { return text(); });
        value.unknown = unknown();
        return value;
    }

    headwater::drop drop()
    {
        headwater::drop value;
        value.table = identity();
        value.table_key = text();
        return value;
    }

    headwater::rename rename()
    {
        headwater::rename value;
        value.table = identity();
        value.from = text();
        value.to = text();
        return value;
    }

    headwater::lineage lineage()
    {
        headwater::lineage value;
        value.kind = static_cast<headwater::lineage::kind_type>(below(3));
        if (value.kind == headwater::lineage::kind_type::retire) return value;
        value.source_stream = maybe([&] { return text(); });
        value.source_seq = maybe([&] { return number(); });
        value.merged_parent_commit_id = id();
        return value;
    }

    std::vector<head> heads()
    {
        std::vector<head> out(below(8));
        std::uint64_t last = 0;
        for (auto& each : out) {
            each.table = {last += 1 + below(1000), std::max<std::uint64_t>(1, number())};
            each.table_key = text() + std::to_string(last);
            each.location = text();
            each.schema_hash = maybe([&] { return text(); });
            each.registered_seq = sequence(number());
            each.version = maybe([&] { return version(); });
            if (each.version) each.pinned_seq = sequence(number());
            each.head_commit_id = id();
            each.unknown = unknown();
        }
        return out;
    }

    std::vector<tombstone> tombstones()
    {
        std::vector<tombstone> out(below(4));
        std::uint64_t last = 0;
        for (auto& each : out) {
            each.table = {last += 1 + below(1000), std::max<std::uint64_t>(1, number())};
            each.table_key = text();
            each.location = text();
            each.target_version = maybe([&] { return number(); });
            each.table_branch = maybe([&] { return text(); });
            each.seq = sequence(number());
            each.head_commit_id = id();
            each.unknown = unknown();
        }
        return out;
    }

    headwater::carry carry(sequence seq)
    {
        headwater::carry value;
        value.base = sequence(number() % seq.value());
        value.heads = heads();
        value.tombstones = tombstones();
        return value;
    }

    tombstoned_summary tombstoned()
    {
        tombstoned_summary value;
        value.since = tombstones();
        value.count = value.since.size();
        for (auto const& each : value.since) value.digest.add(canonical_bytes(each));
        if (one_in(2)) {
            auto const set = digest();
            value.set = set.hex();
            value.digest.add(set);
            value.count += 1 + below(1000);
        }
        return value;
    }

    std::vector<unknown_member> unknown()
    {
        std::vector<unknown_member> out;
        for (auto left = one_in(3) ? below(3) : 0; left > 0; --left) {
            auto const name = "later" + std::to_string(left);
            out.emplace_back(name, '"' + name + "\":" + json(3));
        }
        return out;
    }

    std::mt19937_64 chance_;
};

}  // namespace headwater
