// Sums of requests that stand behind one answer, and the limits under which they are repeated.
#pragma once

#include "src/base/backoff.hpp"

#include <headwater/stores.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

inline std::uint32_t attempts_of(error const& what) noexcept { return what.why() ? what.why()->attempts : 1; }

template <class T>
std::uint32_t attempts_of(result<T> const& answer) noexcept
{
    return answer ? answer->info.attempts : attempts_of(answer.error());
}

/// The same error, saying how many requests there were in all.
inline error with_attempts(error const& what, std::uint32_t attempts)
{
    if (attempts == attempts_of(what)) return what;
    return with(what, [&](diagnostics& why) { why.attempts = attempts; });
}

/// Of a call's deadline this part is left to its last request, which would begin only to be cancelled otherwise.
inline constexpr std::int64_t last_request_share = 8;

inline backoff_limits limits_of(retry_options const& options) noexcept
{
    auto const last = options.deadline - options.deadline / last_request_share;
    auto const budget = last.count() > 0 ? std::min(last, options.budget) : options.budget;
    return {options.base, options.cap, budget, options.max_attempts};
}

inline std::shared_ptr<retry_tokens> tokens_of(retry_options const& options, object_store const& below)
{
    if (options.tokens) return options.tokens;
    auto shared = below.tokens();
    return shared ? shared : std::make_shared<retry_tokens>();
}

/// What became of each attempt of a call, for the error that ends it: when it ended, and what the store said.
class attempt_log {
public:
    /// The last so many are told.
    static constexpr std::size_t max_told = 16;

    explicit attempt_log(std::chrono::nanoseconds began) noexcept : began_(began) {}

    void add(error const& what, std::chrono::nanoseconds now)
    {
        auto const after = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_);
        auto line = std::to_string(after.count()) + " ms: ";
        auto const* const why = what.why();
        if (why && why->status != 0) line += std::to_string(why->status) + ' ';
        line += why && !why->service_code.empty() ? why->service_code : what.code().message();
        if (why && !why->request_id.empty()) line += " (" + why->request_id + ')';
        if (lines_.size() == max_told) lines_.erase(lines_.begin());
        lines_.push_back(std::move(line));
    }

    /// The same error with the fact `history`, if there is more to tell than itself.
    error told(error const& what) const
    {
        if (lines_.size() < 2) return what;
        std::string all;
        for (auto const& each : lines_) all += (all.empty() ? "" : "; ") + each;
        return with(what, [&](diagnostics& why) { why.facts.emplace_back("history", std::move(all)); });
    }

private:
    std::chrono::nanoseconds began_;
    std::vector<std::string> lines_;
};

/// Whether the store, or who stands before it, has answered that it could not for now: it is done with that request,
/// and wants it again later (STORE section 2). Whether it was applied is not known.
inline bool is_told_later(error const& what) noexcept
{
    constexpr std::array told{408, 429, 499, 500, 502, 503, 504};
    // S3 says these under statuses that mean something else: 400, and a 200 that it took back.
    constexpr std::array<std::string_view, 2> told_codes{"RequestTimeout", "InternalError"};
    bool const may_be = what == errc::unavailable || what == errc::outcome_unknown;
    if (!may_be || !what.why()) return false;
    return std::ranges::find(told, what.why()->status) != told.end()
           || std::ranges::find(told_codes, what.why()->service_code) != told_codes.end();
}

/// The wait that the store asked for, if it did.
inline std::optional<std::chrono::nanoseconds> asked_for(error const& what) noexcept
{
    if (!what.why() || !what.why()->retry_after) return {};
    return *what.why()->retry_after;
}

}  // namespace headwater
