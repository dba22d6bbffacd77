// Keeps, asks, joins.
#include "adapters/http/cut_read.hpp"

#include "adapters/http/content_range.hpp"

#include <utility>

namespace headwater::http {

namespace {

// A weak etag says that two versions mean the same, not that their bytes are the same.
bool is_strong(std::string_view tag) noexcept { return !tag.empty() && !tag.starts_with("W/"); }

}  // namespace

byte_range cut_read::rest() const noexcept
{
    byte_range out;
    out.first = (asked_ ? asked_->first : 0) + kept_.body.size();
    if (asked_) out.last = asked_->last;
    return out;
}

// Whether the part begins where the kept one ends, and is of the same version.
bool cut_read::follows(response const& part) const
{
    auto const range = parse_content_range(part.find("content-range"));
    return part.status == 206 && part.find("etag") == tag_ && range && range->first == rest().first;
}

bool cut_read::keep(exchange_error const& ended)
{
    auto const& part = ended.part;
    bool const was_cut = ended.how == broken::ambiguous && ended.why == errc::unavailable && !part.body.empty();
    if (!was_cut || resumes_ == max_resumes) return false;
    if (begun()) {
        if (!follows(part)) return false;
        kept_.body += part.body;
    } else {
        auto const tag = part.find("etag");
        auto const range = parse_content_range(part.find("content-range"));
        bool const is_asked_for =
            asked_ ? part.status == 206 && range && range->first == asked_->first : part.status == 200;
        if (!is_strong(tag) || !is_asked_for) return false;
        kept_ = part;
        tag_ = tag;
    }
    ++resumes_;
    return true;
}

response cut_read::join(response last)
{
    if (!begun() || last.status != 206) return last;
    auto const promised = kept_.find("content-length");
    bool const fits = follows(last) && full_size(last, rest());
    if (!fits || (!promised.empty() && promised != std::to_string(kept_.body.size() + last.body.size()))) return last;
    kept_.body += last.body;
    return std::move(kept_);
}

}  // namespace headwater::http
