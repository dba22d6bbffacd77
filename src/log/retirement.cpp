// Ends a life whose newest state cannot be read. The slot first, as in every deletion: whoever still holds a state
// loses it, though its metadata be young; what follows a record that nobody can read folds from nothing anyway.
#include "src/log/retirement.hpp"

#include "src/format/object_layout.hpp"
#include "src/log/authority.hpp"
#include "src/log/commit_ids.hpp"

#include <algorithm>
#include <utility>

namespace headwater {

namespace {

// The record at `seq` as far as it can be read. One of a newer version's says more than that it is bad.
task<std::optional<record>> read_as_it_is(object_store& store, stream_id stream, sequence seq)
{
    std::optional<record> const unread;
    get_options how;
    how.max_bytes = max_record_bytes;
    object_key const key = layout::record(stream, seq);
    auto const answer = co_await store.get(key, how);
    if (!answer && (answer.error() == errc::not_found || answer.error() == errc::limit_exceeded)) co_return unread;
    if (!answer) co_return answer.error();
    auto decoded = decode_record(answer->content.view(), stream, seq);
    if (!decoded && decoded.error() == errc::unsupported) co_return decoded.error();
    if (!decoded) co_return unread;
    co_return std::optional(std::move(*decoded));
}

// On top of what stands at `newest`, whatever that is; its parent is known only if that can be read.
record retire_record(authority const& known, sequence newest, std::optional<record> const& last, std::string by,
                     std::uint64_t now_ms, random& chance)
{
    record out;
    out.seq = newest.next();
    out.created_at = last ? std::max(now_ms, last->created_at + 1) : now_ms;
    out.id = make_commit_id(out.created_at, out.seq, chance);
    out.stream = known.stream.text();
    out.actor = std::move(by);
    if (last) {
        out.parent = last->id;
        out.schema = last->schema;
    }
    out.origin.emplace().kind = lineage::kind_type::retire;
    return out;
}

}  // namespace

task<life> retirement::end_unread(open_stream of, random& chance, std::string by)
{
    for (unsigned attempt = 0; attempt != max_end_attempts; ++attempt) {
        fetched from(of.store());
        auto const opened = co_await of.refresh(from);
        if (!opened) co_return opened.error();
        auto const newest = co_await of.sure_end(from);
        if (!newest) co_return newest.error();
        auto const last = co_await read_as_it_is(of.store(), of.known().stream, *newest);
        if (!last) co_return last.error();
        life ending = of.opened_life();
        if (*last && retires(**last)) co_return co_await end_life(of.store(), std::move(ending), ending_of(**last));
        if (*newest >= last_sequence) {
            co_return error(errc::limit_exceeded, "last_sequence: the stream is at the greatest seq there is");
        }
        auto const final = retire_record(of.known(), *newest, *last, by, held_now_ms(of.known(), of.time()), chance);
        auto encoded = encode(final);
        if (!encoded) co_return encoded.error();
        object_key key = layout::record(of.known().stream, final.seq);
        auto const made = co_await of.store().put_if_absent(std::move(key), std::move(*encoded));
        if (!made) co_return made.error();
        if (made->created) co_return co_await end_life(of.store(), std::move(ending), ending_of(final));
    }
    co_return error(errc::unavailable, diagnostics("retire", layout::record_prefix(of.known().stream),
                                                   "max_end_attempts reached: others keep committing; try again"));
}

}  // namespace headwater
