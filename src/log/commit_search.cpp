// One listing of the streams, then a record of each.
#include "src/log/commit_search.hpp"

#include "src/base/together.hpp"
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/commit_ids.hpp"
#include "src/log/lives.hpp"

#include <headwater/record.hpp>

#include <algorithm>
#include <tuple>

namespace headwater {

namespace {

/// How many streams are looked at in one round.
constexpr std::size_t streams_at_once = 50;

// `main` is as old as its graph.
std::uint64_t beginning_of(stream_id const& stream)
{
    if (stream.is_main()) return 0;
    auto const life = parse_ulid(std::string_view(stream.text()).substr(stream.text().rfind('.') + 1));
    return life ? life->time_ms : 0;
}

task<commit_id> id_at(object_store& store, stream_id stream, sequence seq)
{
    get_options how;
    how.max_bytes = max_record_bytes;
    object_key const key = layout::record(stream, seq);
    auto const answer = co_await store.get(key, how);
    if (!answer) co_return of_stored(answer.error(), key, how.max_bytes);
    auto const found = decode_record(answer->content.view(), stream, seq);
    if (!found) co_return found.error();
    co_return found->id;
}

}  // namespace

std::vector<stream_id> by_likelihood(std::vector<stream_id> streams, std::uint64_t created_at)
{
    auto const rank = [&](stream_id const& each) {
        auto const began = beginning_of(each);
        return std::tuple(began > created_at, began > created_at ? began : ~began, std::string(each.text()));
    };
    std::ranges::sort(streams, {}, rank);
    return streams;
}

task<std::optional<position>> find_commit(object_store& store, commit_id id)
{
    auto const parsed = parse_ulid(id.text());
    if (!parsed || sequence_in(*parsed) == sequence()) co_return std::optional<position>();
    auto const seq = sequence_in(*parsed);
    auto listed = co_await list_streams(store, nullptr);
    if (!listed) co_return listed.error();
    auto const streams = by_likelihood(std::move(*listed), parsed->time_ms);
    std::optional<error> trouble;
    for (std::size_t at = 0; at < streams.size(); at += streams_at_once) {
        auto const last = std::min(streams.size(), at + streams_at_once);
        std::vector<task<commit_id>> round;
        for (auto i = at; i != last; ++i) round.push_back(id_at(store, streams[i], seq));
        auto const answers = co_await together(std::move(round));
        for (std::size_t i = 0; i != answers.size(); ++i) {
            if (answers[i] && *answers[i] == id) {
                position there;
                there.stream = streams[at + i];
                there.seq = seq;
                there.id = std::move(id);
                co_return std::optional(std::move(there));
            }
            if (!answers[i] && !(answers[i].error() == errc::not_found)) trouble = answers[i].error();
        }
    }
    // It may be what cannot be read.
    if (trouble) co_return *trouble;
    co_return std::optional<position>();
}

}  // namespace headwater
