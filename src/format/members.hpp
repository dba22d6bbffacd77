// members: one table per JSON object that lists its members in the order of FORMAT section 3, and serves both
// directions. A codec is such a table, plus the rules that go beyond one member. read_value() and write_value() are the
// overload sets that the tables call; each object type adds its own (record_parts.hpp).
#pragma once

#include "src/format/json_reader.hpp"
#include "src/format/json_writer.hpp"

#include <headwater/digest.hpp>
#include <headwater/record.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headwater {

inline bool read_value(json_reader& in, std::uint64_t& out) { return in.read(out); }
inline bool read_value(json_reader& in, std::string& out) { return in.read(out); }
bool read_value(json_reader& in, sequence& out);
bool read_value(json_reader& in, commit_id& out);  ///< Any text but the empty one.
bool read_value(json_reader& in, set_digest& out);

inline void write_value(json_writer& out, std::uint64_t value) { out.value(value); }
inline void write_value(json_writer& out, std::string const& value) { out.value(value); }
inline void write_value(json_writer& out, sequence value) { out.value(value.value()); }
inline void write_value(json_writer& out, commit_id const& value) { out.value(value.text()); }
void write_value(json_writer& out, set_digest const& value);

/// How one member of a `T` is read and written.
template <class T>
struct member {
    std::string_view name;
    bool (*read)(json_reader&, T&);
    void (*write)(json_writer&, std::string_view name, T const&);
    bool is_required = true;
};

/// What `member` accepts beyond its type; `in` is failed where it does not.
inline constexpr auto any_value = [](json_reader&, auto const&) { return true; };

/// A member that every object has. `Access` is a pointer to a data member, or gives a reference to the value.
template <class T, auto Access, auto Check = any_value>
constexpr member<T> required(std::string_view name)
{
    return {name,
            [](json_reader& in, T& out) {
                auto& value = std::invoke(Access, out);
                return read_value(in, value) && Check(in, value);
            },
            [](json_writer& out, std::string_view as, T const& value) {
                out.name(as);
                write_value(out, std::invoke(Access, value));
            }};
}

template <class T, auto Access, auto Check>
bool read_or_null(json_reader& in, T& out)
{
    auto& value = std::invoke(Access, out);
    value.reset();
    if (in.take_null()) return true;
    using content = typename std::remove_reference_t<decltype(value)>::value_type;
    return in.ok() && read_value(in, value.emplace(content())) && Check(in, *value);
}

/// FORMAT's `|null` member: always written; absent reads as null.
template <class T, auto Access, auto Check = any_value>
constexpr member<T> nullable(std::string_view name)
{
    return {name, read_or_null<T, Access, Check>,
            [](json_writer& out, std::string_view as, T const& value) {
                out.name(as);
                auto const& content = std::invoke(Access, value);
                content ? write_value(out, *content) : out.null();
            },
            false};
}

/// FORMAT's `?` member: left out without a value; null reads as absent.
template <class T, auto Access, auto Check = any_value>
constexpr member<T> optional(std::string_view name)
{
    return {name, read_or_null<T, Access, Check>,
            [](json_writer& out, std::string_view as, T const& value) {
                auto const& content = std::invoke(Access, value);
                if (!content) return;
                out.name(as);
                write_value(out, *content);
            },
            false};
}

/// A `?` member whose value is a JSON object that nobody here looks into: byte for byte.
template <class T, auto Access>
constexpr member<T> optional_object(std::string_view name)
{
    return {name,
            [](json_reader& in, T& out) {
                auto& value = std::invoke(Access, out);
                value.reset();
                std::string_view raw;
                if (in.take_null()) return true;
                if (!in.read_raw_object(raw)) return false;
                value.emplace(raw);
                return true;
            },
            [](json_writer& out, std::string_view as, T const& value) {
                auto const& content = std::invoke(Access, value);
                if (!content) return;
                out.name(as);
                out.raw(*content);
            },
            false};
}

/// The `format` member of a `T`: always the version that this library writes.
template <class T>
constexpr member<T> format_member()
{
    return {"format",
            [](json_reader& in, T&) {
                std::uint64_t version = 0;
                return in.read(version) && (version == format_version || in.fail("the format is not 1"));
            },
            [](json_writer& out, std::string_view as, T const&) {
                out.name(as);
                out.value(format_version);
            }};
}

/// Whether `name` is one of a head's members on the page: an unknown member of a pin or registration that has such a
/// name never goes into a head.
bool is_head_member(std::string_view name) noexcept;

/// Reads a member that no table has: into `kept` if there is one. A caller's input may have none that would be lost,
/// and none that would stand for a head's own.
bool read_unknown(json_reader& in, std::vector<unknown_member>* kept);

/// Where a `T` keeps the members that its table does not have; null if it does not.
template <class T>
auto* unknown_of(T& value)
{
    if constexpr (requires { value.unknown; })
        return &value.unknown;
    else
        return static_cast<std::vector<unknown_member>*>(nullptr);
}

/// The place of `name` in the table; most objects have their members in its order, so `guess` is tried first.
template <class T, std::size_t N>
std::size_t find_member(member<T> const (&table)[N], std::size_t guess, std::string_view name) noexcept
{
    if (guess < N && table[guess].name == name) return guess;
    std::size_t at = 0;
    while (at < N && table[at].name != name) ++at;
    return at;
}

template <class T, std::size_t N>
bool read_members(json_reader& in, member<T> const (&table)[N], T& out)
{
    static_assert(N < 64);
    std::uint64_t seen = 0;
    std::size_t guess = 0;
    for (in.enter_object(); in.next_member();) {
        auto const at = find_member(table, guess, in.name());
        if (at == N) {
            if (!read_unknown(in, unknown_of(out))) return false;
            continue;
        }
        if (seen >> at & 1) return in.fail("a duplicate member");
        seen |= std::uint64_t{1} << at;
        guess = at + 1;
        if (!table[at].read(in, out)) return false;
    }
    for (std::size_t at = 0; at < N && in.ok(); ++at) {
        if (table[at].is_required && !(seen >> at & 1)) in.fail_member(table[at].name, "the member is missing");
    }
    return in.ok();
}

template <class T, std::size_t N>
void write_members(json_writer& out, member<T> const (&table)[N], T const& value)
{
    for (auto const& each : table) each.write(out, each.name, value);
}

template <class T, std::size_t N>
void write_object(json_writer& out, member<T> const (&table)[N], T const& value)
{
    out.begin_object();
    write_members(out, table, value);
    if (auto const* unknown = unknown_of(value)) {
        for (auto const& each : *unknown) out.raw(each.text);
    }
    out.end_object();
}

/// Guesses a long list's length from its first elements, so that its memory is about what it needs.
template <class T>
void reserve_by_sample(std::vector<T>& list, std::size_t bytes_read, std::size_t bytes_left)
{
    constexpr std::size_t sample = 32;
    if (list.size() != sample) return;
    list.reserve(sample + bytes_left / (bytes_read / sample + 1) + 1);
}

/// `check(element, previous)` is asked after each element but the first.
template <class T, class Check>
bool read_list(json_reader& in, std::vector<T>& out, Check check)
{
    out.clear();
    auto const begin = in.offset();
    for (in.enter_array(); in.next_element();) {
        reserve_by_sample(out, in.offset() - begin, in.bytes_left());
        if (!read_value(in, out.emplace_back())) return false;
        if (out.size() > 1 && !check(out.back(), out[out.size() - 2])) return false;
    }
    return in.ok();
}

template <class T>
bool read_value(json_reader& in, std::vector<T>& out)
{
    return read_list(in, out, [](T const&, T const&) { return true; });
}

template <class T>
void write_value(json_writer& out, std::vector<T> const& list)
{
    out.begin_array();
    for (auto const& each : list) write_value(out, each);
    out.end_array();
}

}  // namespace headwater
