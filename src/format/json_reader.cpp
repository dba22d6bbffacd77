// The strict reader: a cursor over the text, and a stack of what is open for duplicates and paths.
#include "src/format/json_reader.hpp"

#include "src/base/hex.hpp"
#include "src/base/utf8.hpp"
#include "src/format/json_text.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <limits>

namespace headwater {

namespace {

/// How much of a member's name an error shows.
constexpr std::size_t max_shown_name_bytes = 64;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code)
{
    auto const add = [&out](unsigned byte) { out += static_cast<char>(byte); };
    auto const add_rest = [&](unsigned shift) { add(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return add(code);
    if (code < 0x800) return add(0xC0 | code >> 6), add_rest(0);
    if (code < 0x10000) return add(0xE0 | code >> 12), add_rest(6), add_rest(0);
    add(0xF0 | code >> 18), add_rest(12), add_rest(6), add_rest(0);
}

/// -1 for anything but a hex digit, of either case.
int any_hex_value(char c) noexcept { return hex_value(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c); }

bool is_high_surrogate(unsigned unit) noexcept { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(unsigned unit) noexcept { return unit >= 0xDC00 && unit < 0xE000; }

/// The four hex digits that `text` starts with. Precondition: they were checked.
unsigned hex_unit(std::string_view text) noexcept
{
    unsigned unit = 0;
    for (char const c : text.substr(0, 4)) unit = unit << 4 | static_cast<unsigned>(any_hex_value(c));
    return unit;
}

/// Appends what the escape at the start of `raw` stands for, and takes it off. Precondition: scan_string passed it.
void append_unescaped(std::string& out, std::string_view& raw)
{
    static constexpr std::string_view letters = "bfnrt";
    static constexpr std::string_view meanings = "\b\f\n\r\t";
    char const letter = raw[1];
    raw.remove_prefix(2);
    if (letter != 'u') {
        auto const at = letters.find(letter);
        out += at == letters.npos ? letter : meanings[at];
        return;
    }
    unsigned code = hex_unit(raw);
    raw.remove_prefix(4);
    if (is_high_surrogate(code)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (hex_unit(raw.substr(2)) - 0xDC00);
        raw.remove_prefix(6);
    }
    append_utf8(out, code);
}

/// The content of a string whose text between the quotes is `raw`.
void unescape(std::string_view raw, std::string& out)
{
    out.clear();
    out.reserve(raw.size());
    while (!raw.empty()) {
        auto const plain = std::min(raw.find('\\'), raw.size());
        out += raw.substr(0, plain);
        raw.remove_prefix(plain);
        if (!raw.empty()) append_unescaped(out, raw);
    }
}

std::string_view without_quotes(std::string_view raw) noexcept { return raw.substr(1, raw.size() - 2); }

/// `.name`, or `["any other name"]`, cut off where it gets long.
std::string step(std::string_view raw_name)
{
    auto const is_simple = [](char c) {
        return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    auto name = without_quotes(raw_name);
    if (!name.empty() && name.size() <= max_shown_name_bytes && std::all_of(name.begin(), name.end(), is_simple)) {
        return '.' + std::string(name);
    }
    if (name.size() <= max_shown_name_bytes) return "[\"" + std::string(name) + "\"]";
    auto end = max_shown_name_bytes;
    while ((static_cast<unsigned char>(name[end]) & 0xC0u) == 0x80u) --end;
    return "[\"" + std::string(name.substr(0, end)) + "…\"]";
}

}  // namespace

bool json_reader::take(char c) noexcept
{
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
}

void json_reader::skip_space() noexcept
{
    while (at_ < text_.size()) {
        char const c = text_[at_];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
        ++at_;
    }
}

void json_reader::start_value() noexcept
{
    skip_space();
    value_at_ = at_;
}

bool json_reader::read(std::uint64_t& out)
{
    if (failed_) return false;
    start_value();
    if (peek() == '-') return fail("a negative number where an unsigned integer belongs");
    if (!is_digit(peek())) return fail_type("an unsigned integer");
    if (peek() == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))
        return fail("a number with a leading zero");
    std::uint64_t value = 0;
    for (; is_digit(peek()); ++at_) {
        auto const digit = static_cast<std::uint64_t>(peek() - '0');
        constexpr auto greatest = std::numeric_limits<std::uint64_t>::max();
        if (value > (greatest - digit) / 10) return fail("an integer above 18446744073709551615");
        value = value * 10 + digit;
    }
    if (char const c = peek(); c == '.' || c == 'e' || c == 'E') {
        return fail("a fraction or exponent where an integer belongs");
    }
    out = value;
    return true;
}

bool json_reader::read(std::string& out)
{
    if (failed_) return false;
    start_value();
    if (peek() != '"') return fail_type("a string");
    std::string_view raw;
    bool escaped = false;
    if (!scan_string(raw, escaped)) return false;
    raw = without_quotes(raw);
    escaped ? unescape(raw, out) : void(out.assign(raw));
    return true;
}

bool json_reader::read_raw(std::string_view& raw)
{
    if (failed_) return false;
    skip_space();
    auto const begin = at_;
    if (!skip_value()) return false;
    value_at_ = begin;
    raw = text_.substr(begin, at_ - begin);
    return true;
}

bool json_reader::read_raw_object(std::string_view& raw)
{
    if (failed_) return false;
    start_value();
    return peek() == '{' ? read_raw(raw) : fail_type("an object");
}

bool json_reader::take_null()
{
    if (failed_) return false;
    start_value();
    return peek() == 'n' && scan_literal("null");
}

bool json_reader::enter_object()
{
    if (failed_) return false;
    start_value();
    return peek() == '{' ? enter(false) : fail_type("an object");
}

bool json_reader::enter_array()
{
    if (failed_) return false;
    start_value();
    return peek() == '[' ? enter(true) : fail_type("an array");
}

bool json_reader::enter(bool is_array)
{
    if (depth_ == max_json_depth) return fail("nested deeper than " + std::to_string(max_json_depth));
    ++at_;
    auto& top = frames_[depth_++];
    top = frame();
    top.is_array = is_array;
    top.names_begin = names_.size();
    return true;
}

/// Whether the open object or array goes on; takes the comma, or the closing bracket.
bool json_reader::next(char close)
{
    if (failed_) return false;
    auto& top = frames_[depth_ - 1];
    skip_space();
    value_at_ = at_;
    if (take(close)) return leave(), false;
    if (top.fresh) {
        top.fresh = false;
        return true;
    }
    if (!take(',')) return fail_type(close == '}' ? "a comma or a closing brace" : "a comma or a closing bracket");
    skip_space();
    value_at_ = at_;
    return peek() != close || fail("a comma before the closing bracket");
}

bool json_reader::next_member()
{
    if (!next('}')) return false;
    if (peek() != '"') return fail_type("a member's name");
    auto& raw = frames_[depth_ - 1].raw_name = {};
    bool escaped = false;
    if (!scan_string(raw, escaped)) return false;
    name_ = without_quotes(raw);
    if (escaped) {
        unescape(name_, unescaped_names_.emplace_front());
        name_ = unescaped_names_.front();
    }
    skip_space();
    if (!take(':')) {
        value_at_ = at_;
        return fail_type("a colon");
    }
    return true;
}

bool json_reader::next_element()
{
    if (failed_) return false;
    auto& top = frames_[depth_ - 1];
    bool const first = top.fresh;
    if (!next(']')) return false;
    if (!first) ++top.index;
    return true;
}

void json_reader::leave()
{
    check_names(frames_[depth_ - 1].names_begin);
    if (failed_) return;
    names_.resize(frames_[depth_ - 1].names_begin);
    --depth_;
}

void json_reader::note_name() { names_.push_back({name_, raw_name()}); }

/// Fails if two of the names from `begin` on are the same; sorts them, so that many names cannot cost quadratic time.
void json_reader::check_names(std::size_t begin)
{
    auto const first = names_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (names_.end() - first < 2) return;
    std::sort(first, names_.end(), [](noted_name const& left, noted_name const& right) {
        int const order = left.text.compare(right.text);
        return order != 0 ? order < 0 : left.raw.data() < right.raw.data();
    });
    auto const same = [](noted_name const& left, noted_name const& right) { return left.text == right.text; };
    auto const found = std::adjacent_find(first, names_.end(), same);
    if (found == names_.end()) return;
    auto const raw = std::next(found)->raw;
    frames_[depth_ - 1].raw_name = raw;
    fail_at(static_cast<std::size_t>(raw.data() - text_.data()), errc::corrupt, "a duplicate member");
}

/// Passes a string, quotes included. Precondition: a quote is next.
bool json_reader::scan_string(std::string_view& raw, bool& escaped)
{
    auto const begin = at_++;
    for (;;) {
        at_ = find_special<beyond_ascii::is_special>(text_, at_);
        if (at_ == text_.size()) return fail_at(begin, errc::corrupt, "a string without an end");
        char const c = text_[at_];
        if (c == '"') break;
        if (c == '\\') {
            escaped = true;
            if (!scan_escape()) return false;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            return fail_at(at_, errc::corrupt, "a control character in a string");
        } else {
            auto const length = utf8_length(text_.substr(at_, 4));
            if (length == 0) return fail_at(at_, errc::corrupt, "invalid UTF-8");
            at_ += length;
        }
    }
    ++at_;
    raw = text_.substr(begin, at_ - begin);
    return true;
}

bool json_reader::scan_escape()
{
    static constexpr std::string_view simple = "\"\\/bfnrt";
    auto const begin = at_++;
    if (at_ < text_.size() && simple.find(peek()) != simple.npos) return ++at_, true;
    if (!take('u')) return fail_at(begin, errc::corrupt, "an unknown escape");
    unsigned unit = 0;
    if (!scan_hex_unit(unit)) return false;
    if (is_low_surrogate(unit)) return fail_at(begin, errc::corrupt, "a lone surrogate");
    if (!is_high_surrogate(unit)) return true;
    if (!take('\\') || !take('u')) return fail_at(begin, errc::corrupt, "a lone surrogate");
    return scan_hex_unit(unit) && (is_low_surrogate(unit) || fail_at(begin, errc::corrupt, "a lone surrogate"));
}

bool json_reader::scan_hex_unit(unsigned& unit)
{
    unit = 0;
    for (int digits = 0; digits < 4; ++digits, ++at_) {
        int const value = any_hex_value(peek());
        if (value < 0) return fail_at(at_, errc::corrupt, "an escape without four hex digits");
        unit = unit << 4 | static_cast<unsigned>(value);
    }
    return true;
}

/// Passes any number that RFC 8259 permits: what stands in members that nobody reads.
bool json_reader::scan_number()
{
    take('-');
    if (!take('0') && !scan_digits()) return false;
    if (is_digit(peek())) return fail("a number with a leading zero");
    if (take('.') && !scan_digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return scan_digits();
}

bool json_reader::scan_digits()
{
    if (!is_digit(peek())) return fail_at(at_, errc::corrupt, "a number without a digit where one belongs");
    while (is_digit(peek())) ++at_;
    return true;
}

bool json_reader::scan_literal(std::string_view literal)
{
    if (text_.substr(at_, literal.size()) != literal) return fail_type("a value");
    at_ += literal.size();
    return true;
}

bool json_reader::skip_value()
{
    start_value();
    std::string_view raw;
    bool escaped = false;
    switch (char const c = peek()) {
    case '{': return skip_object();
    case '[': return skip_array();
    case '"': return scan_string(raw, escaped);
    case 't': return scan_literal("true");
    case 'f': return scan_literal("false");
    case 'n': return scan_literal("null");
    default: return c == '-' || is_digit(c) ? scan_number() : fail_type("a value");
    }
}

bool json_reader::skip_object()
{
    for (enter(false); next_member();) {
        note_name();
        if (!skip_value()) return false;
    }
    return ok();
}

bool json_reader::skip_array()
{
    for (enter(true); next_element();) {
        if (!skip_value()) return false;
    }
    return ok();
}

bool json_reader::at_end()
{
    if (failed_) return false;
    skip_space();
    value_at_ = at_;
    return at_ == text_.size() || fail_type("nothing but white space after the object");
}

bool json_reader::fail_at(std::size_t offset, errc code, std::string why)
{
    if (failed_) return false;
    failed_ = true;
    failed_at_ = offset;
    code_ = code;
    why_ = std::move(why);
    failed_path_ = path();
    return false;
}

bool json_reader::fail_member(std::string_view name, std::string why)
{
    if (failed_) return false;
    fail(std::move(why));
    failed_path_ += '.';
    failed_path_ += name;
    return false;
}

bool json_reader::fail_type(char const* wanted)
{
    return fail_at(at_, errc::corrupt, std::string("expected ") + wanted + ", found " + found());
}

/// What stands here instead of what was expected.
std::string json_reader::found() const
{
    if (at_ == text_.size()) return "the end of the text";
    if (at_ == 0 && text_.starts_with(byte_order_mark)) return "a byte order mark";
    char const c = text_[at_];
    switch (c) {
    case '{': return "an object";
    case '[': return "an array";
    case '"': return "a string";
    case 't':
    case 'f': return "a boolean";
    case 'n': return "null";
    default: break;
    }
    if (c == '-' || is_digit(c)) return "a number";
    if (c > 0x20 && c < 0x7F) return std::string("`") + c + '`';
    auto const byte = static_cast<unsigned char>(c);
    return std::string("the byte 0x") + hex_digits[byte >> 4] + hex_digits[byte & 15];
}

std::string json_reader::path() const
{
    std::string out = "$";
    for (std::size_t level = 0; level < depth_; ++level) {
        auto const& at = frames_[level];
        if (at.is_array && !at.fresh) out += '[' + std::to_string(at.index) + ']';
        if (!at.raw_name.empty()) out += step(at.raw_name);
    }
    return out;
}

error json_reader::failure(std::string key) const
{
    BOOST_ASSERT(failed_);
    auto detail = failed_path_ + ": " + why_ + ", at byte " + std::to_string(failed_at_);
    return error(code_, diagnostics({}, std::move(key), std::move(detail)));
}

}  // namespace headwater
