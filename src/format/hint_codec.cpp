// The hint: strict JSON, but anything wrong with it only means that there is none. FORMAT section 3.
#include "src/format/codec.hpp"

#include <headwater/hint.hpp>

namespace headwater {

namespace {

/// The value of a hint's checkpoint, whatever type it has; 0 unless it is a u64.
std::uint64_t read_leniently(json_reader& in)
{
    std::string_view raw;
    std::uint64_t value = 0;
    if (!in.read_raw(raw)) return 0;
    return json_reader(raw).read(value) ? value : 0;
}

}  // namespace

bytes encode(hint const& value)
{
    std::string json;
    json_writer out(json);
    out.begin_object();
    out.name("seq");
    out.value(value.seq.value());
    out.name("checkpoint");
    out.value(value.checkpoint.value());
    out.end_object();
    return bytes(std::move(json));
}

std::optional<hint> decode_hint(std::string_view json) noexcept
{
    if (json.size() > max_hint_bytes) return {};
    json_reader in(json);
    std::optional<std::uint64_t> seq;
    std::uint64_t checkpoint = 0;
    std::string_view ignored;
    for (in.enter_object(); in.next_member();) {
        in.note_name();
        if (in.name() == "seq")
            in.read(seq.emplace());
        else if (in.name() == "checkpoint")
            checkpoint = read_leniently(in);
        else
            in.read_raw(ignored);
    }
    if (!in.at_end() || !seq || sequence(*seq) > last_sequence) return {};
    return hint{sequence(*seq), sequence(checkpoint <= *seq ? checkpoint : 0)};
}

}  // namespace headwater
