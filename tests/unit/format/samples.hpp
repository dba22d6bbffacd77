// Small edits of JSON text, so that a test shows the one thing that it makes wrong.
#pragma once

#include <headwater/error.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace headwater {

inline constexpr auto sample_ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// One thing wrong in an otherwise good object.
struct refusal {
    char const* what;  ///< Replaced in it …
    char const* by;    ///< … by this.
    char const* path;
    char const* why;
    errc code = errc::corrupt;
};

/// `text` with the first `what` replaced; it must be there.
inline std::string replaced(std::string_view text, std::string_view what, std::string_view by)
{
    auto const at = text.find(what);
    EXPECT_NE(at, text.npos) << what;
    std::string out(text);
    return at == text.npos ? out : out.replace(at, what.size(), by);
}

/// `json` with one member of the outermost object set, or taken out.
inline std::string with_member(std::string_view json, std::string const& name, std::string const& value)
{
    auto object = nlohmann::ordered_json::parse(json);
    EXPECT_TRUE(object.contains(name)) << name;
    constexpr auto placeholder = "@@";
    object[name] = placeholder;
    return replaced(object.dump(), "\"@@\"", value);
}

inline std::string without_member(std::string_view json, std::string const& name)
{
    auto object = nlohmann::ordered_json::parse(json);
    EXPECT_EQ(object.erase(name), 1u) << name;
    return object.dump();
}

/// A head without a pin, in a checkpoint's shape.
inline std::string head_json(int stable_table_id, int incarnation, std::string const& table_key)
{
    return R"({"stable_table_id":)" + std::to_string(stable_table_id) + R"(,"incarnation":)"
           + std::to_string(incarnation) + R"(,"table_key":")" + table_key
           + R"(","location":"l","registered_seq":1,"pin":null,"pinned_seq":null,)" + R"("head_commit_id":"c1"})";
}

}  // namespace headwater
