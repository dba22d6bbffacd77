// One request each; an end is recorded under the etag that was read, so that nobody's floor is lost.
#include "src/log/lives.hpp"

#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/listing.hpp"

#include <algorithm>

namespace headwater {

result<graph_format> read_marker(result<object> const& answer, object_store const& store)
{
    auto const key = layout::format().text();
    if (!answer && answer.error() == errc::not_found) {
        return error(
            errc::not_found,
            diagnostics("open", key, "there is no graph in " + store.address() + "; `headwater init` makes one"));
    }
    if (!answer) return of_stored(answer.error(), layout::format(), max_metadata_bytes);
    auto format = decode_graph_format(answer->content.view());
    if (format && format->state == graph_format::state_type::pending) {
        return error(errc::unsupported,
                     diagnostics("open", key, "a conversion of this graph has not finished; finish it first"));
    }
    return format;
}

task<graph_opened> open_graph(object_store& store, clock& time)
{
    get_options how;
    how.max_bytes = max_metadata_bytes;
    object_key const key = layout::format();
    auto const marker = co_await store.get(key, how);
    auto format = read_marker(marker, store);
    if (!format) co_return format.error();
    graph_opened out;
    out.format = std::move(*format);
    out.now = marker->info.date.value_or(time.now());
    co_return out;
}

task<life> read_life(object_store& store, stream_id stream)
{
    get_options how;
    how.max_bytes = max_metadata_bytes;
    object_key const key = layout::metadata(stream);
    auto const answer = co_await store.get(key, how);
    if (!answer) co_return of_stored(answer.error(), key, how.max_bytes);
    auto metadata = decode_stream_metadata(answer->content.view(), stream);
    if (!metadata) co_return metadata.error();
    life out;
    out.stream = std::move(stream);
    out.metadata = std::move(*metadata);
    out.tag = answer->tag;
    out.last_modified = answer->last_modified;
    co_return out;
}

task<std::vector<stream_id>> list_streams(object_store& store, std::vector<object_key>* stray)
{
    std::vector<stream_id> out;
    listing pages(store, layout::metadata_prefix());
    for (;;) {
        auto page = co_await pages.next();
        if (!page) co_return page.error();
        if (!*page) break;
        for (auto const& row : (*page)->objects) {
            auto const stream = layout::parse_metadata(row.key.text());
            if (stream) out.push_back(*stream);
            if (!stream && stray) stray->push_back(row.key);
        }
    }
    std::ranges::sort(out);
    co_return out;
}

bool retires(record const& last) { return last.origin && last.origin->kind == lineage::kind_type::retire; }

stream_metadata::retired_type ending_of(record const& last)
{
    stream_metadata::retired_type end;
    end.at = last.created_at;
    end.by = last.actor.value_or("headwater");
    end.final_seq = last.seq;
    return end;
}

stream_metadata stillborn(stream_id const& stream, std::string_view by, std::uint64_t now_ms)
{
    stream_metadata out;
    out.stream = stream.text();
    out.logical = stream.logical().text();
    out.creator = by;
    out.created_at = now_ms;
    stream_metadata::retired_type end;
    end.at = now_ms;
    end.by = by;
    out.retired = end;
    return out;
}

task<life> end_life(object_store& store, life of, stream_metadata::retired_type end)
{
    object_key const key = layout::metadata(of.stream);
    for (unsigned attempt = 0; attempt != max_end_attempts; ++attempt) {
        if (of.metadata.retired) co_return of;
        of.metadata.retired = end;
        auto const encoded = encode(of.metadata);
        if (!encoded) co_return encoded.error();
        auto const done = co_await store.put_if_match(key, *encoded, of.tag);
        if (done) {
            of.tag = done->tag;
            co_return of;
        }
        if (!(done.error() == errc::precondition_failed)) co_return done.error();
        auto again = co_await read_life(store, of.stream);
        if (!again) co_return again.error();
        of = std::move(*again);
    }
    co_return error(errc::unavailable, diagnostics("retire", key.text(),
                                                   "max_end_attempts reached: others keep changing the metadata; "
                                                   "try again"));
}

}  // namespace headwater
