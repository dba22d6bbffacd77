// Sets before the checkpoint that names them.
#include "src/log/checkpoint_writer.hpp"

#include "src/format/object_layout.hpp"

#include <algorithm>

namespace headwater {

task<tombstone_set> checkpoint_writer::read_set(fetched& from, std::optional<std::string> digest)
{
    if (!digest) co_return std::make_shared<std::vector<tombstone> const>();
    if (kept_digest_ == digest) co_return kept_;
    object_key const key = layout::tombstones(*digest);
    std::vector<wanted_object> one;
    one.emplace_back(key, max_checkpoint_bytes);
    co_await from.fetch(std::move(one));
    auto const& answer = from.get(key);
    if (!answer && answer.error() == errc::not_found) {
        co_return error(errc::history_gap,
                        diagnostics("read", key.text(),
                                    "the tombstone set that a checkpoint names is missing, so that what had been "
                                    "dropped is not known; run `repair`"));
    }
    if (!answer) co_return answer.error();
    auto decoded = decode_tombstones(answer->content.view(), *digest);
    if (!decoded) co_return decoded.error();
    kept_ = std::make_shared<std::vector<tombstone> const>(std::move(*decoded));
    kept_digest_ = std::move(digest);
    co_return kept_;
}

task<void> checkpoint_writer::write_set(fetched& through, state const& content, std::vector<tombstone> beyond)
{
    auto known = co_await read_set(through, content.base_set());
    if (!known) co_return known.error();
    beyond.insert(beyond.end(), (*known)->begin(), (*known)->end());
    std::ranges::sort(beyond, {}, &tombstone::table);
    set_digest digest;
    for (auto const& each : beyond) digest.add(canonical_bytes(each));
    auto const encoded = encode_tombstones(beyond);
    if (!encoded) co_return encoded.error();
    object_key const key = layout::tombstones(digest.hex());
    auto made = co_await through.store().put_if_absent(key, *encoded);
    if (!made) co_return made.error();
    kept_ = std::make_shared<std::vector<tombstone> const>(std::move(beyond));
    kept_digest_ = digest.hex();
    co_return result<void>();
}

task<void> checkpoint_writer::write(fetched& through, state const& content, stream_id const& stream,
                                    std::uint64_t interval, clock const& time)
{
    auto const began = moment::now(time);
    auto beyond = content.beyond_base_set(interval);
    bool const names_set = content.base_set() || !beyond.empty();
    if (!beyond.empty()) {
        auto written = co_await write_set(through, content, beyond);
        if (!written) co_return written.error();
    }
    auto const encoded = encode(content.to_checkpoint(stream.text(), interval));
    if (!encoded) co_return encoded.error();
    object_key const key = layout::checkpoint(stream, content.header().seq);
    auto made = co_await through.store().put_if_absent(key, *encoded);
    if (!made) co_return made.error();
    // Who was stopped in between may have lost the set to a cleanup, which knew of nothing that names it.
    if (!names_set || began.until(moment::now(time)) <= min_age / 2) co_return result<void>();
    co_return co_await write_set(through, content, std::move(beyond));
}

}  // namespace headwater
