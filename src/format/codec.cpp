// The steps around every table: the first look at an object, and the errors that name its key.
#include "src/format/codec.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace headwater {

namespace {

/// Walks over text that may be broken anywhere, and looks at the names of the outermost object's members only.
class format_search {
public:
    explicit format_search(std::string_view text) noexcept : text_(text) {}

    std::optional<std::uint64_t> run()
    {
        at_ = text_.find('{');
        std::size_t depth = 0;
        for (; at_ < text_.size(); ++at_) {
            char const c = text_[at_];
            if (c == '"') {
                auto const name = pass_string();
                if (depth != 1 || !is_format(name)) continue;
                if (auto const version = version_after()) {
                    return *version > format_version ? version : std::nullopt;
                }
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if ((c == '}' || c == ']') && --depth == 0) {
                break;
            }
        }
        return {};
    }

private:
    /// From the quote under the cursor to the one that ends the string, which the cursor is left at.
    std::string_view pass_string() noexcept
    {
        auto const begin = at_++;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        return text_.substr(begin, at_ - begin + 1);
    }

    static bool is_format(std::string_view quoted)
    {
        if (quoted == "\"format\"") return true;
        if (quoted.find('\\') == quoted.npos) return false;
        std::string name;
        return json_reader(quoted).read(name) && name == "format";
    }

    /// The integer behind the colon that follows the cursor; nothing if there is no colon or no integer.
    std::optional<std::uint64_t> version_after() const
    {
        auto rest = text_.substr(std::min(at_ + 1, text_.size()));
        auto const skip_space = [&rest] {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        };
        skip_space();
        if (!rest.starts_with(':')) return {};
        rest.remove_prefix(1);
        skip_space();
        auto const digits = rest.substr(0, rest.find_first_not_of("0123456789"));
        auto const follows = rest.substr(digits.size());
        if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return {};
        if (follows.starts_with('.') || follows.starts_with('e') || follows.starts_with('E')) return {};
        std::uint64_t version = 0;
        return json_reader(digits).read(version) ? version : std::numeric_limits<std::uint64_t>::max();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

error of_stored(error const& what, object_key const& key, std::size_t most)
{
    if (!(what == errc::limit_exceeded)) return what;
    constexpr size_limit limits[] = {hint_limit, metadata_limit, record_limit, checkpoint_limit, schema_limit};
    auto const* const limit = std::ranges::find(limits, most, &size_limit::bytes);
    std::string const name(limit == std::end(limits) ? "its limit" : limit->name);
    auto told = with(what, [&](diagnostics& why) {
        why.key = key.text();
        why.detail = "the object is larger than " + name + ", " + std::to_string(most) + " bytes";
    });
    return {errc::corrupt, *told.why()};
}

std::optional<std::uint64_t> newer_format(std::string_view text) { return format_search(text).run(); }

std::optional<error> above(size_limit limit, std::size_t size, std::string const& key)
{
    if (size <= limit.bytes) return {};
    auto detail =
        std::to_string(size) + " bytes are above " + std::string(limit.name) + ", " + std::to_string(limit.bytes);
    return error(errc::limit_exceeded, diagnostics({}, key, std::move(detail)));
}

std::optional<error> refused_unread(std::string_view json, size_limit limit, std::string const& key)
{
    if (auto refusal = above(limit, json.size(), key)) return refusal;
    if (json.empty()) return error(errc::corrupt, diagnostics({}, key, "$: the object is empty, 0 bytes, at byte 0"));
    auto const version = newer_format(json);
    if (!version) return {};
    auto detail = "$.format: the object has format " + std::to_string(*version) + ", this version reads up to "
                  + std::to_string(format_version) + ": use a newer one";
    return error(errc::unsupported, diagnostics({}, key, std::move(detail)));
}

bool is_keys(json_reader& in, std::string_view name, std::string_view found, std::string_view in_key)
{
    if (found == in_key) return true;
    return in.fail_member(name, '`' + std::string(found) + "` is not the key's, `" + std::string(in_key) + '`');
}

bool stands_at(json_reader& in, std::string_view stream, sequence seq, stream_id const& key_stream, sequence key_seq)
{
    return is_keys(in, "stream", stream, key_stream.text())
           && is_keys(in, "seq", std::to_string(seq.value()), std::to_string(key_seq.value()));
}

error unreadable(std::string const& key, error const& why)
{
    std::string const detail = why.why() ? why.why()->detail : "$: it would read back as another value";
    return error(errc::invalid_argument, diagnostics({}, key, "not written, as no reader would accept it: " + detail));
}

bool read_value(json_reader& in, sequence& out)
{
    std::uint64_t value = 0;
    if (!in.read(value)) return false;
    out = sequence(value);
    return true;
}

bool read_value(json_reader& in, commit_id& out)
{
    std::string text;
    if (!in.read(text)) return false;
    if (text.empty()) return in.fail("a commit id is not empty");
    out = commit_id(std::move(text));
    return true;
}

bool read_value(json_reader& in, set_digest& out)
{
    std::string text;
    if (!in.read(text)) return false;
    auto const digest = set_digest::parse(text);
    if (!digest) return in.fail("a digest has 64 lower-case hex digits");
    out = *digest;
    return true;
}

void write_value(json_writer& out, set_digest const& value) { out.value(value.hex()); }

bool read_unknown(json_reader& in, std::vector<unknown_member>* kept)
{
    auto const name = in.name();
    auto const raw_name = in.raw_name();
    in.note_name();
    std::string_view raw;
    if (!in.read_raw(raw)) return false;
    if (in.rule() == json_reader::unknown_members::refused) {
        if (!kept) return in.fail("an unknown member");
        if (is_head_member(name)) return in.fail("the member would stand for one of the head's own");
    }
    if (kept) kept->emplace_back(std::string(name), std::string(raw_name) + ':' + std::string(raw));
    return true;
}

}  // namespace headwater
