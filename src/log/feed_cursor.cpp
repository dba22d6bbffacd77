// The checksum is looked at before the JSON is.
#include "src/log/feed_cursor.hpp"

#include "src/base/base64url.hpp"
#include "src/base/sha256.hpp"
#include "src/format/members.hpp"

#include <headwater/digest.hpp>

#include <algorithm>

namespace headwater {

namespace {

constexpr std::size_t checksum_size = 32;

/// What the JSON says; the stream is not parsed yet.
struct cursor_text {
    cursor_text() = default;

    std::string kind = "feed";
    std::string domain;
    std::string stream;
    std::uint64_t seq = 0;
    std::optional<std::string> commit_id;
    std::string filter;
};

constexpr member<cursor_text> cursor_members[] = {
    format_member<cursor_text>(),
    required<cursor_text, &cursor_text::kind>("kind"),
    required<cursor_text, &cursor_text::domain>("domain"),
    required<cursor_text, &cursor_text::stream>("stream"),
    required<cursor_text, &cursor_text::seq>("seq"),
    nullable<cursor_text, &cursor_text::commit_id>("commit_id"),
    required<cursor_text, &cursor_text::filter>("filter"),
};

std::string checksum(std::string_view json)
{
    auto const digest = sha256(json);
    return {digest.begin(), digest.end()};
}

}  // namespace

error cursor_rejected(std::string why) { return {errc::cursor_rejected, "change cursor rejected: " + std::move(why)}; }

std::string encode(feed_cursor const& value)
{
    cursor_text text;
    text.domain = value.domain;
    text.stream = value.at.stream.text();
    text.seq = value.at.seq.value();
    if (value.at.id) text.commit_id = value.at.id->text();
    text.filter = value.filter;
    std::string json;
    json_writer out(json);
    write_object(out, cursor_members, text);
    return to_base64url(json + checksum(json));
}

result<feed_cursor> decode_feed_cursor(std::string_view text)
{
    if (text.size() > max_cursor_length) return cursor_rejected("it is longer than max_cursor_length");
    auto const content = from_base64url(text);
    if (!content || content->size() <= checksum_size) return cursor_rejected("it is damaged");
    std::string_view const json = std::string_view(*content).substr(0, content->size() - checksum_size);
    if (checksum(json) != content->substr(json.size())) return cursor_rejected("it is damaged");
    json_reader in(json);
    cursor_text found;
    if (!read_members(in, cursor_members, found) || !in.at_end() || found.kind != "feed") {
        return cursor_rejected("it is of another version or kind");
    }
    auto const stream = stream_id::parse(found.stream);
    bool const whole = stream && found.seq <= last_sequence.value() && (found.seq == 0 || found.commit_id);
    if (!whole) return cursor_rejected("it names no position");
    feed_cursor out;
    out.domain = std::move(found.domain);
    out.at.stream = *stream;
    out.at.seq = sequence(found.seq);
    if (found.commit_id) out.at.id = commit_id(std::move(*found.commit_id));
    out.filter = std::move(found.filter);
    return out;
}

std::string filter_digest(std::vector<std::uint64_t> tables)
{
    if (tables.empty()) return {};
    std::ranges::sort(tables);
    auto const rest = std::ranges::unique(tables);
    tables.erase(rest.begin(), rest.end());
    std::string text;
    for (auto const each : tables) text += std::to_string(each) + ',';
    return sha256_hex(text);
}

}  // namespace headwater
