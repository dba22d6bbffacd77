// conformance: what a store does, found out by doing it: one named check for each promise of the port, and for what the
// port leaves open. Our own tests and `headwater conform` run these same functions.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/export.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>
#include <headwater/task.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// How a check ended.
enum class check_outcome {
    passed,
    failed,          ///< A promise of the port is broken: the store, or its adapter, must not be trusted with it.
    differs,         ///< Where vendors may differ this one does, from Amazon's S3.
    not_applicable,  ///< The store says itself that it cannot do this.
};

/// `passed`, `failed`, `differs`, `not_applicable`.
HEADWATER_EXPORT std::string_view to_string(check_outcome outcome) noexcept;

namespace conformance {
class trial;
}

/// One check. What is not `required` can only differ, never fail.
struct conformance_check {
    std::string_view name;   ///< Stable: `create_twice_keeps_the_first`.
    std::string_view theme;  ///< `reading`, `creating`, `vendor`, `updating`, `racing`, `listing`, `keys`, `removing`.
    bool required = true;
    boost::asio::awaitable<void> (*perform)(conformance::trial& on) = nullptr;  ///< For `run_check`.
};

/// Every check, theme by theme, in the order in which they are best run.
HEADWATER_EXPORT std::vector<conformance_check> conformance_checks();

/// What checks work on. Everything that it refers to must outlive it.
struct conformance_subject {
    conformance_subject(object_store& under_test, clock& with_time, random& with_chance)
        : store(under_test), time(with_time), chance(with_chance)
    {
    }

    object_store& store;
    clock& time;
    random& chance;
    /// Answers another store over the same objects, to race with; empty: all race through `store`.
    std::function<object_store&()> connect;
    std::uint32_t race_rounds = 20;
};

/// How one check ended, and what was seen in the end: where it failed, at the first answer that was wrong.
struct check_result {
    check_result() = default;

    conformance_check check;
    check_outcome outcome = check_outcome::passed;
    std::string message;                ///< What was wrong, or differs; empty after `passed`.
    int status = 0;                     ///< HTTP status; 0 where there is no HTTP.
    std::string request_id;             ///< The store's own id of the request; empty if none.
    std::string prefix;                 ///< Of the keys that the check wrote; no other check has it.
    std::chrono::milliseconds took{0};  ///< Wall time, cleaning up not included.
    std::uint64_t left_behind = 0;      ///< Objects that still stand, as the store would not remove them.
};

/// Runs one check below a prefix of its own, `headwater-conform-…/`, and removes what it has written, however it ended.
/// Never fails: what the store does wrong is the result. Where keys are files, empty folders stay. Cancellation: at any
/// point; nothing is removed then.
HEADWATER_EXPORT boost::asio::awaitable<check_result> run_check(conformance_check check, conformance_subject& on);

}  // namespace headwater
