// cut_read: a read whose body was cut, what is missing of it, and the pieces put together again. Pure; the vendors'
// stores ask for the rest with Range and If-Match, so that no answer mixes two versions of an object.
#pragma once

#include "adapters/http/message.hpp"

#include <headwater/object_store.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace headwater::http {

/// How often one read goes on after a cut: what is cut more often than that is not cut by chance.
inline constexpr std::uint32_t max_resumes = 4;

class cut_read {
public:
    explicit cut_read(std::optional<byte_range> const& asked) : asked_(asked) {}

    /// Keeps what came before the cut. False: nothing that could be gone on from, so that the read has failed; an
    /// answer that is no success, without a strong etag, without a byte of its body, or one of another version.
    bool keep(exchange_error const& ended);
    /// Whether anything is kept.
    bool begun() const noexcept { return resumes_ != 0; }

    /// What is missing, to ask for under If-Match: `tag`.
    byte_range rest() const noexcept;
    std::string const& tag() const noexcept { return tag_; }

    /// Whether the rest is refused: the object is another one now, or shorter than it was said to be.
    bool ends_with(response const& refusal) const noexcept
    {
        return begun() && (refusal.status == 412 || refusal.status == 416);
    }
    /// The answer to the last request, as if the read had never been cut: what was kept and what it has. An answer that
    /// has no such part stays what it is.
    response join(response last);

private:
    bool follows(response const& part) const;

    std::optional<byte_range> asked_;
    response kept_;
    std::string tag_;
    std::uint32_t resumes_ = 0;
};

}  // namespace headwater::http
