// Draws at most ten times a second; a failure to draw is nobody's loss.
#include "tools/headwater/progress.hpp"

#include <algorithm>

namespace headwater::cli {

namespace {

constexpr std::chrono::milliseconds redraw{100};
constexpr std::uint64_t bar_width = 32;
constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

std::string progress_line(std::uint64_t done, std::uint64_t total, std::chrono::nanoseconds elapsed)
{
    auto const filled = std::min(bar_width, done * bar_width / std::max<std::uint64_t>(total, 1));
    auto const seconds = std::max(std::chrono::duration<double>(elapsed).count(), 1e-3);
    auto const rate = static_cast<std::uint64_t>(static_cast<double>(done) / seconds);
    return '[' + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " + std::to_string(done) + '/'
           + std::to_string(total) + " commits, " + std::to_string(rate) + "/s";
}

progress::progress(clock& time, output& to, bool shown, std::uint64_t total)
    : time_(time), to_(to), shown_(shown), total_(total), begun_(time.since_boot()), next_(begun_)
{
}

progress::~progress()
{
    if (!shown_) return;
    (void)to_.write(erase_line);
    (void)to_.flush();
}

void progress::show(std::uint64_t done)
{
    if (!shown_) return;
    auto const now = time_.since_boot();
    if (now < next_) return;
    next_ = now + redraw;
    (void)to_.write(std::string(erase_line) + progress_line(done, total_, now - begun_));
    (void)to_.flush();
}

}  // namespace headwater::cli
