// A small strict XML reader for the listings and error bodies of S3 and Azure.
// Stands between the transport's bytes and the response readers. Pure.
#pragma once

#include <headwater/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater::xml {

/// The largest document that is read: 5,000 rows of Azure, each with a long key, stay below it.
inline constexpr std::size_t max_document_bytes = 32u << 20;
/// The deepest nesting; the services use five levels.
inline constexpr std::size_t max_depth = 32;

/// One element. Names are without their namespace prefix; text has its entities resolved and its white space kept.
class element {
public:
    std::string name;
    std::string text;  ///< All character data directly inside it.
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<element> children;

    /// The first child of that name, or null.
    element const* child(std::string_view wanted) const noexcept;
    /// The text of the first child of that name; empty if there is none.
    std::string_view text_of(std::string_view wanted) const noexcept;
    /// The value of that attribute; empty if there is none.
    std::string_view attribute(std::string_view wanted) const noexcept;
};

/// Reads one whole document and answers its root. `protocol`: it is not well-formed, too large, too deep, or declares a
/// document type. A byte order mark and the encodings that XML requires are understood; text is UTF-8.
result<element> parse(std::string_view document);

}  // namespace headwater::xml
