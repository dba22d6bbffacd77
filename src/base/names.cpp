// The rules for branch and stream names, FORMAT section 2.
#include <headwater/names.hpp>

#include "src/base/percent_encoding.hpp"
#include "src/base/utf8.hpp"

#include <boost/assert.hpp>

namespace headwater {

namespace {

constexpr std::size_t ulid_length = 26;
/// `{enc(stream)}.json.tmp.<uuid>` is then 253 bytes: a file name ends at 255.
constexpr std::size_t max_encoded_name_bytes = 180;

/// The part before `.{ULID}`, if `text` ends in that.
std::optional<std::string_view> before_life(std::string_view text) noexcept
{
    if (text.size() <= ulid_length) return {};
    auto const dot = text.size() - ulid_length - 1;
    if (text[dot] != '.' || !parse_ulid(text.substr(dot + 1))) return {};
    return text.substr(0, dot);
}

/// U+0000 to U+001F, U+007F to U+009F.
bool is_control(std::string_view sequence) noexcept
{
    auto const lead = static_cast<unsigned char>(sequence[0]);
    return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0);
}

/// What is wrong with the characters of a branch name; null if nothing.
char const* broken_text(std::string_view text) noexcept
{
    while (!text.empty()) {
        auto const length = utf8_length(text);
        if (length == 0) return "is not valid UTF-8";
        if (is_control(text.substr(0, length))) return "has a control character";
        text.remove_prefix(length);
    }
    return nullptr;
}

char const* broken_segment(std::string_view segment) noexcept
{
    if (segment.empty()) return "is empty, or has an empty segment or a slash at an end";
    if (segment == "." || segment == "..") return "has a segment `.` or `..`";
    if (before_life(segment)) return "has a segment that ends in a dot and a ULID, which marks streams";
    return nullptr;
}

char const* broken_name(std::string_view text)
{
    for (auto rest = text;;) {
        auto const slash = rest.find('/');
        if (auto const* why = broken_segment(rest.substr(0, slash))) return why;
        if (slash == rest.npos) break;
        rest.remove_prefix(slash + 1);
    }
    if (auto const* why = broken_text(text)) return why;
    if (percent_encoded(text).size() > max_encoded_name_bytes) return "is longer than 180 bytes, percent-encoded";
    return nullptr;
}

}  // namespace

result<branch_name> branch_name::parse(std::string_view text)
{
    if (auto const* why = broken_name(text)) return error(errc::invalid_argument, std::string("a branch name ") + why);
    return branch_name(std::string(text));
}

result<stream_id> stream_id::parse(std::string_view text)
{
    if (text == "main") return stream_id();
    auto const logical = before_life(text);
    if (!logical) return error(errc::invalid_argument, "a stream is `main`, or a branch name, a dot and a ULID");
    auto const branch = branch_name::parse(*logical);
    if (!branch) return branch.error();
    if (branch->is_main()) return error(errc::invalid_argument, "the branch `main` has one life, the stream `main`");
    return stream_id(std::string(text));
}

stream_id stream_id::of(branch_name const& branch, ulid const& life)
{
    BOOST_ASSERT_MSG(!branch.is_main(), "`main` is never created");
    return stream_id(branch.text() + '.' + to_string(life));
}

branch_name stream_id::logical() const
{
    if (is_main()) return branch_name();
    return branch_name::parse(std::string_view(text_).substr(0, text_.size() - ulid_length - 1)).value();
}

}  // namespace headwater
