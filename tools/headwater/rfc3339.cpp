// One pass over fixed columns, then the fraction and the offset.
#include "tools/headwater/rfc3339.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

namespace headwater::cli {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes what is expected off the front; after the first surprise everything fails.
class cursor {
public:
    explicit cursor(std::string_view text) : rest_(text) {}

    int digits(std::size_t count, int most)
    {
        int value = 0;
        for (std::size_t i = 0; i != count; ++i) {
            if (rest_.empty() || !is_digit(rest_.front())) return fail();
            value = value * 10 + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value <= most ? value : fail();
    }

    void one_of(std::string_view allowed)
    {
        if (rest_.empty() || allowed.find(rest_.front()) == allowed.npos) {
            fail();
        } else {
            rest_.remove_prefix(1);
        }
    }

    /// The first three digits of a fraction, if there is one.
    int milliseconds()
    {
        if (rest_.empty() || rest_.front() != '.') return 0;
        rest_.remove_prefix(1);
        if (rest_.empty() || !is_digit(rest_.front())) return fail();
        int value = 0;
        int place = 100;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), place /= 10) {
            value += (rest_.front() - '0') * place;
        }
        return value;
    }

    /// How far the written time is ahead of UTC.
    std::chrono::minutes offset()
    {
        if (!rest_.empty() && (rest_.front() == 'Z' || rest_.front() == 'z')) {
            rest_.remove_prefix(1);
            return {};
        }
        bool const behind = !rest_.empty() && rest_.front() == '-';
        one_of("+-");
        auto const hours = digits(2, 23);
        one_of(":");
        std::chrono::minutes const ahead(hours * 60 + digits(2, 59));
        return behind ? -ahead : ahead;
    }

    bool done() const noexcept { return good_ && rest_.empty(); }

private:
    int fail() noexcept
    {
        good_ = false;
        rest_ = {};
        return 0;
    }

    std::string_view rest_;
    bool good_ = true;
};

}  // namespace

bool looks_dated(std::string_view text) noexcept
{
    constexpr std::string_view shape = "dddd-dd-dd";
    if (text.size() < shape.size()) return false;
    for (std::size_t i = 0; i != shape.size(); ++i) {
        if (shape[i] == 'd' ? !is_digit(text[i]) : text[i] != shape[i]) return false;
    }
    return true;
}

result<time_ms> parse_rfc3339(std::string_view text)
{
    using namespace std::chrono;
    cursor in(text);
    year const y(in.digits(4, 9999));
    in.one_of("-");
    month const m(static_cast<unsigned>(in.digits(2, 12)));
    in.one_of("-");
    day const d(static_cast<unsigned>(in.digits(2, 31)));
    in.one_of("Tt ");
    hours const h(in.digits(2, 23));
    in.one_of(":");
    minutes const min(in.digits(2, 59));
    in.one_of(":");
    seconds const s(in.digits(2, 60));  // A leap second is the next minute's first.
    milliseconds const fraction(in.milliseconds());
    auto const ahead = in.offset();
    year_month_day const date(y, m, d);
    if (!in.done() || !date.ok()) {
        return error(errc::invalid_argument, "a time is written as 2026-01-02T03:04:05Z, not " + std::string(text));
    }
    return time_ms(sys_days(date) + h + min + s + fraction - ahead);
}

}  // namespace headwater::cli
