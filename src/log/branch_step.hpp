// branch_step: what a creator does about a name that is taken. Pure; FORMAT section 4, Branches.
#pragma once

#include <chrono>
#include <optional>

namespace headwater {

/// How long a creator has from the name to the metadata before another may put an end to it.
inline constexpr std::chrono::minutes creator_grace{1};

/// The life that a name means.
enum class named_life {
    live,
    retired,
    unfinished,  ///< It has no metadata.
};

enum class name_action {
    refuse,           ///< `branch_exists`.
    replace,          ///< If-Match over the name.
    end_then_replace  ///< The life's metadata is created as retired first; if it is live after all: refuse.
};

/// `age`: of the name; nothing if the store does not tell.
constexpr name_action judge_name(named_life life, std::optional<std::chrono::milliseconds> age) noexcept
{
    switch (life) {
    case named_life::live: return name_action::refuse;
    case named_life::retired: return name_action::replace;
    case named_life::unfinished: break;
    }
    return age && *age >= creator_grace ? name_action::end_then_replace : name_action::refuse;
}

}  // namespace headwater
