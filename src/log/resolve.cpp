// Two reads, or three, and a verdict.
#include <headwater/resolve.hpp>

#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/fetched.hpp"
#include "src/log/lives.hpp"
#include "src/log/resolve_step.hpp"

#include <headwater/stream_metadata.hpp>

#include <algorithm>
#include <charconv>

namespace headwater {

namespace {

constexpr std::size_t digest_length = 64;

error no_token(std::string why) { return {errc::invalid_argument, "this is no resume token: " + std::move(why)}; }

// Up to the next dot, which is taken too.
std::string_view take_part(std::string_view& rest)
{
    auto const dot = rest.find('.');
    auto const part = rest.substr(0, dot);
    rest.remove_prefix(dot == rest.npos ? rest.size() : dot + 1);
    return part;
}

result<slot_content> read_slot(result<object> const& answer, resume_token const& token, resolution& out)
{
    if (!answer && answer.error() == errc::not_found) return slot_content::nothing;
    if (!answer) return answer.error();
    if (to_hex(sha256(answer->content.view())) == token.digest()) return slot_content::ours;
    auto const winner = decode_record(answer->content.view(), token.at().stream, token.at().seq);
    if (!winner) return winner.error();
    out.actual = winner->id;
    return slot_content::another;
}

// Whether the record after the token's names it as its parent.
task<bool> is_followed(fetched& from, resume_token const& token)
{
    auto const next = token.at().seq.next();
    auto const key = layout::record(token.at().stream, next);
    std::vector<wanted_object> one;
    one.emplace_back(key, max_record_bytes);
    co_await from.fetch(std::move(one));
    auto const& answer = from.get(key);
    if (!answer && answer.error() == errc::not_found) co_return false;
    if (!answer) co_return answer.error();
    auto const follower = decode_record(answer->content.view(), token.at().stream, next);
    if (!follower) co_return follower.error();
    co_return follower->parent == token.at().id;
}

}  // namespace

result<resume_token> resume_token::parse(std::string_view text)
{
    auto const digits = take_part(text);
    auto const id = take_part(text);
    auto const digest = take_part(text);
    std::uint64_t seq = 0;
    auto const [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), seq);
    bool const exact = wrong == std::errc() && std::to_string(seq) == digits && end == digits.data() + digits.size();
    if (!exact || seq == 0 || sequence(seq) > last_sequence) return no_token("it begins with no seq");
    if (!parse_ulid(id)) return no_token("its second part is no commit id");
    bool const hex = std::ranges::all_of(digest, [](char c) { return hex_value(c) >= 0; });
    if (digest.size() != digest_length || !hex) return no_token("its third part is no SHA-256");
    auto const stream = stream_id::parse(text);
    if (!stream) return no_token(stream.error().message());
    position at;
    at.stream = *stream;
    at.seq = sequence(seq);
    at.id = commit_id(id);
    return resume_token(std::move(at), std::string(digest));
}

std::string resume_token::text() const
{
    return std::to_string(at_.seq.value()) + '.' + at_.id->text() + '.' + digest_ + '.' + at_.stream.text();
}

task<resolution> resolve(object_store& store, resume_token token)
{
    fetched from(store);
    object_key const slot_key = layout::record(token.at().stream, token.at().seq);
    std::vector<wanted_object> slot;
    slot.emplace_back(slot_key, max_record_bytes);
    co_await from.fetch(std::move(slot));
    object_key const metadata_key = layout::metadata(token.at().stream);
    std::vector<wanted_object> authority;
    authority.emplace_back(metadata_key, max_metadata_bytes);
    co_await from.fetch(std::move(authority));

    auto const& answer = from.get(metadata_key);
    if (!answer && answer.error() == errc::not_found) {
        object_key const marker_key = layout::format();
        std::vector<wanted_object> marker;
        marker.emplace_back(marker_key, max_metadata_bytes);
        co_await from.fetch(std::move(marker));
        auto const format = read_marker(from.get(marker_key), store);
        if (!format) co_return format.error();
        co_return error(errc::branch_not_found, diagnostics("resolve", metadata_key.text(),
                                                            "the graph has no stream " + token.at().stream.text()));
    }
    if (!answer) co_return answer.error();
    auto const metadata = decode_stream_metadata(answer->content.view(), token.at().stream);
    if (!metadata) co_return metadata.error();
    auto const final_seq = metadata->retired ? std::optional(metadata->retired->final_seq) : std::nullopt;
    resolution out;
    // A pruned slot is not looked into: what is in it may be anything.
    auto content = token.at().seq <= metadata->floor ? result<slot_content>(slot_content::nothing)
                                                     : read_slot(from.get(slot_key), token, out);
    if (!content) co_return content.error();
    if (final_seq && *content == slot_content::ours && token.at().seq < *final_seq) {
        auto const followed = co_await is_followed(from, token);
        if (!followed) co_return followed.error();
        if (!*followed) content = slot_content::nothing;
    }
    if (final_seq && *content == slot_content::ours && token.at().seq == *final_seq) {
        auto const last = decode_record(from.get(slot_key)->content.view(), token.at().stream, token.at().seq);
        if (!last) co_return last.error();
        auto const end = ending_of(*last);
        bool const ended_it = retires(*last) && end.at == metadata->retired->at && end.by == metadata->retired->by;
        if (!ended_it) content = slot_content::another;
    }
    out.verdict = judge(*content, token.at().seq, metadata->floor, final_seq);
    out.spent = from.spent();
    co_return out;
}

}  // namespace headwater
