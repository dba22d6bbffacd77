// The compact writer, over the one string that it appends to.
#include "src/format/json_writer.hpp"

#include "src/base/hex.hpp"
#include "src/format/json_text.hpp"

#include <charconv>

namespace headwater {

namespace {

void append_escape(std::string& out, char c)
{
    static constexpr std::string_view special = "\"\\\b\t\n\f\r";
    static constexpr std::string_view letters = "\"\\btnfr";
    out += '\\';
    if (auto const at = special.find(c); at != special.npos) {
        out += letters[at];
        return;
    }
    auto const byte = static_cast<unsigned char>(c);
    out += "u00";
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

}  // namespace

/// A value or a member needs a comma before it unless it is the first, or follows its name.
void json_writer::separate()
{
    if (out_.empty()) return;
    char const last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_ += ',';
}

void json_writer::begin(char bracket)
{
    separate();
    out_ += bracket;
}

void json_writer::name(std::string_view plain)
{
    separate();
    out_ += '"';
    out_ += plain;
    out_ += "\":";
}

void json_writer::value(std::uint64_t number)
{
    char digits[20];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    raw(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void json_writer::value(std::string_view text)
{
    separate();
    out_ += '"';
    for (;;) {
        auto const plain = find_special<beyond_ascii::is_plain>(text, 0);
        out_ += text.substr(0, plain);
        if (plain == text.size()) break;
        append_escape(out_, text[plain]);
        text.remove_prefix(plain + 1);
    }
    out_ += '"';
}

void json_writer::null() { raw("null"); }

void json_writer::raw(std::string_view json)
{
    separate();
    out_ += json;
}

}  // namespace headwater
