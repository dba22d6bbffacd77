// Dates by hand: the C library's would follow the locale.
#include "adapters/http/date.hpp"

#include <array>
#include <cstdio>

namespace headwater::http {

namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

/// Takes one date off the front of a text; the first thing that does not fit makes the whole reading fail.
class scanner {
public:
    explicit scanner(std::string_view text) noexcept : rest_(text) {}

    int number(std::size_t digits) noexcept
    {
        int value = 0;
        if (rest_.size() < digits) return fail();
        for (char const c : rest_.substr(0, digits)) {
            if (c < '0' || c > '9') return fail();
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(digits);
        return value;
    }
    scanner& literal(std::string_view text) noexcept
    {
        if (rest_.starts_with(text)) {
            rest_.remove_prefix(text.size());
        } else {
            fail();
        }
        return *this;
    }
    template <std::size_t Count>
    int one_of(std::array<std::string_view, Count> const& names) noexcept
    {
        for (std::size_t at = 0; at < Count; ++at) {
            if (!rest_.starts_with(names[at])) continue;
            rest_.remove_prefix(names[at].size());
            return static_cast<int>(at);
        }
        return fail();
    }
    /// A decimal fraction after a point, in milliseconds; further digits are cut off.
    int fraction() noexcept
    {
        if (!rest_.starts_with('.')) return 0;
        rest_.remove_prefix(1);
        int value = 0, digits = 0;
        for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), ++digits) {
            if (digits < 3) value = value * 10 + (rest_[0] - '0');
        }
        if (digits == 0) fail();
        for (; digits < 3; ++digits) value *= 10;
        return value;
    }
    /// `Z`, or how far the clock is ahead of UTC: `+02:00`.
    std::chrono::minutes offset() noexcept
    {
        if (rest_.starts_with('Z')) return rest_.remove_prefix(1), std::chrono::minutes(0);
        int const sign = rest_.starts_with('-') ? -1 : 1;
        literal(sign < 0 ? "-" : "+");
        int const hours = number(2);
        int const minutes = literal(":").number(2);
        if (hours > 23 || minutes > 59) fail();
        return sign * (std::chrono::hours(hours) + std::chrono::minutes(minutes));
    }
    bool done() const noexcept { return good_ && rest_.empty(); }

private:
    int fail() noexcept
    {
        good_ = false;
        return 0;
    }

    std::string_view rest_;
    bool good_ = true;
};

struct parts {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, thousandth = 0;
};

std::optional<time_ms> assemble(parts const& p) noexcept
{
    auto const date = year(p.year) / month(static_cast<unsigned>(p.month)) / day(static_cast<unsigned>(p.day));
    if (!date.ok() || p.hour > 23 || p.minute > 59 || p.second > 60) return std::nullopt;
    return time_ms(sys_days(date)) + hours(p.hour) + minutes(p.minute) + seconds(p.second) + milliseconds(p.thousandth);
}

parts take_apart(time_ms when) noexcept
{
    auto const midnight = floor<days>(when);
    year_month_day const date(midnight);
    hh_mm_ss const time(floor<seconds>(when - midnight));
    return {int(date.year()),
            static_cast<int>(unsigned(date.month())),
            static_cast<int>(unsigned(date.day())),
            static_cast<int>(time.hours().count()),
            static_cast<int>(time.minutes().count()),
            static_cast<int>(time.seconds().count())};
}

/// Appends `value` in `digits` digits. Every signed request has a date: printf would take a tenth of its instructions.
void append_number(std::string& out, int value, std::size_t digits)
{
    out.append(digits, '0');
    for (auto at = out.end(); digits > 0; --digits, value /= 10) *--at = static_cast<char>('0' + value % 10);
}

}  // namespace

std::string format_http_date(time_ms when)
{
    parts const p = take_apart(when);
    auto const weekday_at = weekday(floor<days>(when)).c_encoding();
    char text[64];
    int const length =
        std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", weekdays[weekday_at].data(), p.day,
                      months[static_cast<std::size_t>(p.month - 1)].data(), p.year, p.hour, p.minute, p.second);
    return {text, static_cast<std::size_t>(length)};
}

std::optional<time_ms> parse_http_date(std::string_view text) noexcept
{
    scanner in(text);
    parts p;
    in.one_of(weekdays);
    p.day = in.literal(", ").number(2);
    in.literal(" ");
    p.month = in.one_of(months) + 1;
    p.year = in.literal(" ").number(4);
    p.hour = in.literal(" ").number(2);
    p.minute = in.literal(":").number(2);
    p.second = in.literal(":").number(2);
    in.literal(" GMT");
    return in.done() ? assemble(p) : std::nullopt;
}

std::string format_basic_date(time_ms when)
{
    parts const p = take_apart(when);
    std::string out;
    out.reserve(16);
    append_number(out, p.year, 4);
    append_number(out, p.month, 2);
    append_number(out, p.day, 2);
    out += 'T';
    append_number(out, p.hour, 2);
    append_number(out, p.minute, 2);
    append_number(out, p.second, 2);
    out += 'Z';
    return out;
}

std::string format_iso_date(time_ms when)
{
    parts const p = take_apart(when);
    char text[48];
    int const length = std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", p.year, p.month, p.day,
                                     p.hour, p.minute, p.second);
    return {text, static_cast<std::size_t>(length)};
}

std::optional<time_ms> parse_iso_date(std::string_view text) noexcept
{
    scanner in(text);
    parts p;
    p.year = in.number(4);
    p.month = in.literal("-").number(2);
    p.day = in.literal("-").number(2);
    p.hour = in.literal("T").number(2);
    p.minute = in.literal(":").number(2);
    p.second = in.literal(":").number(2);
    p.thousandth = in.fraction();
    auto const offset = in.offset();
    auto const when = in.done() ? assemble(p) : std::nullopt;
    return when ? std::optional(*when - offset) : std::nullopt;
}

}  // namespace headwater::http
