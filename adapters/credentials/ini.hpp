// The AWS profile files, `[section]` and `name = value`, as the vendor's tools read them. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace headwater::credentials {

/// Sections by name, each with its settings by name in lower case.
using ini_section = std::map<std::string, std::string, std::less<>>;
using ini_sections = std::map<std::string, ini_section, std::less<>>;

/// Reads what can be read and skips the rest, so that a setting nobody here knows breaks nothing. Lines that begin with
/// `#` or `;` are comments, and so is what follows ` #` or ` ;` in a value; an indented line is nested:
/// `name` below `parent =` is `parent.name`; the last of equal names wins.
ini_sections parse_ini(std::string_view text);

}  // namespace headwater::credentials
