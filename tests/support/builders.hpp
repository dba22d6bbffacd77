// Builders that hide what a test does not care about.
#pragma once

#include <headwater/intent.hpp>
#include <headwater/record.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace headwater::test {

inline table_identity table(std::uint64_t id, std::uint64_t incarnation = 1) { return {id, incarnation}; }

inline registration a_registration(table_identity who, std::string key)
{
    registration out;
    out.table = who;
    out.location = "nodes/" + std::to_string(who.stable_table_id) + "-" + std::to_string(who.incarnation);
    out.table_key = std::move(key);
    return out;
}

inline pin_change a_pin(table_identity who, std::string key, std::uint64_t version)
{
    pin_change out;
    out.table = who;
    out.table_key = std::move(key);
    out.version.target_version = version;
    out.version.staged_version = (1ULL << 63) + version;
    out.version.transaction_uuid = "6f1c0b1e-0000-4000-8000-00000000000" + std::to_string(version % 10);
    out.version.entity_count = version * 10;
    return out;
}

inline headwater::drop a_drop(table_identity who, std::string key)
{
    headwater::drop out;
    out.table = who;
    out.table_key = std::move(key);
    return out;
}

inline rename a_rename(table_identity who, std::string from, std::string to)
{
    rename out;
    out.table = who;
    out.from = std::move(from);
    out.to = std::move(to);
    return out;
}

/// An intent that registers a table and pins its first version.
inline intent a_first_version(table_identity who, std::string key)
{
    intent out;
    out.registrations.push_back(a_registration(who, key));
    out.pins.push_back(a_pin(who, std::move(key), 1));
    return out;
}

}  // namespace headwater::test
