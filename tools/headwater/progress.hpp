// progress: a bar on a terminal's stderr while a long command runs. Elsewhere it is silent.
#pragma once

#include "tools/headwater/output.hpp"

#include <headwater/clock.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace headwater::cli {

/// The line that shows `done` of `total` commits after `elapsed`. Pure.
std::string progress_line(std::uint64_t done, std::uint64_t total, std::chrono::nanoseconds elapsed);

class progress {
public:
    /// Silent unless `shown`. `time` and `to` must outlive it.
    progress(clock& time, output& to, bool shown, std::uint64_t total);
    progress(progress const&) = delete;
    progress& operator=(progress const&) = delete;
    /// Takes the bar off the screen.
    ~progress();

    void show(std::uint64_t done);

private:
    clock& time_;
    output& to_;
    bool shown_;
    std::uint64_t total_;
    std::chrono::nanoseconds begun_;
    std::chrono::nanoseconds next_;
};

}  // namespace headwater::cli
