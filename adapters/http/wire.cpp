// Writes requests, reads Keep-Alive, judges cuts.
#include "adapters/http/wire.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace headwater::http {

namespace {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view left, std::string_view right) noexcept
{
    return std::ranges::equal(left, right, {}, lower, lower);
}

// Which bytes may stand where; a table, since every byte of every request passes here.
enum : std::uint8_t { in_token = 1, in_target = 2, in_value = 4 };

constexpr auto byte_classes = [] {
    std::array<std::uint8_t, 256> classes{};
    for (int c = 0; c < 256; ++c) {
        bool const visible = c > ' ' && c < 0x7f;
        bool const control = c < ' ' || c == 0x7f;
        bool const alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        bool const mark = visible && std::string_view("!#$%&'*+-.^_`|~").find(char(c)) != std::string_view::npos;
        auto& one = classes[static_cast<std::size_t>(c)];
        if (alphanumeric || mark) one |= in_token;  // RFC 7230 section 3.2.6
        if (visible) one |= in_target;
        if (!control || c == '\t') one |= in_value;
    }
    return classes;
}();

bool consists_of(std::uint8_t kind, std::string_view text) noexcept
{
    std::uint8_t common = kind;
    for (char const c : text) common &= byte_classes[static_cast<unsigned char>(c)];
    return common == kind;
}

bool is_token(std::string_view text) noexcept { return !text.empty() && consists_of(in_token, text); }
bool is_target(std::string_view text) noexcept { return text.starts_with('/') && consists_of(in_target, text); }
bool is_field_value(std::string_view text) noexcept { return consists_of(in_value, text); }

// What decides where the message ends, or who it is for, is said once, by the transport.
bool is_ours(std::string_view name) noexcept
{
    constexpr std::string_view ours[] = {"host", "content-length", "transfer-encoding", "connection", "expect"};
    return std::ranges::any_of(ours, [&](std::string_view mine) { return same_name(mine, name); });
}

bool has_bodies(std::string_view method) noexcept { return method == "PUT" || method == "POST" || method == "PATCH"; }

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
}

std::string_view trim(std::string_view text) noexcept
{
    auto const first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    auto const last = text.find_last_not_of(" \t");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace

std::optional<error> check_request(request const& what)
{
    auto const wrong = [](std::string detail) { return error(errc::invalid_argument, std::move(detail)); };
    if (!is_token(what.method)) return wrong("the request's method is not a token");
    if (!is_target(what.target)) return wrong("the request's target is not an encoded path");
    for (auto const& [name, value] : what.fields) {
        if (!is_token(name)) return wrong("the name of a request field is not a token");
        if (is_ours(name)) return wrong("the transport writes the request field " + name + " itself");
        if (!is_field_value(value)) return wrong("the request field " + name + " has a control character");
    }
    return {};
}

void write_request(request const& what, std::string_view authority, std::string& out)
{
    out.clear();
    out += what.method;
    out += ' ';
    out += what.target;
    out += " HTTP/1.1\r\n";
    append_field(out, "Host", authority);
    for (auto const& [name, value] : what.fields) append_field(out, name, value);
    if (!what.body.empty() || has_bodies(what.method)) {
        append_field(out, "Content-Length", std::to_string(what.body.size()));
    }
    out += "\r\n";
    out += what.body.view();
}

std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value) noexcept
{
    constexpr std::string_view name = "timeout=";
    while (!value.empty()) {
        auto const comma = std::min(value.find(','), value.size());
        auto const item = trim(value.substr(0, comma));
        value.remove_prefix(std::min(comma + 1, value.size()));
        if (!same_name(item.substr(0, name.size()), name)) continue;
        auto const digits = item.substr(name.size());
        std::uint32_t seconds = 0;
        auto const [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
        if (wrong == std::errc() && end == digits.data() + digits.size()) return std::chrono::seconds(seconds);
    }
    return {};
}

std::chrono::nanoseconds keep_time(std::chrono::milliseconds option, std::string_view keep_alive) noexcept
{
    constexpr std::chrono::seconds margin(1);
    auto const told = keep_alive_timeout(keep_alive);
    if (!told) return option;
    return std::clamp<std::chrono::nanoseconds>(*told - margin, std::chrono::nanoseconds(0), option);
}

std::optional<error> out_of_files(error_code how)
{
    if (how == boost::system::errc::too_many_files_open) {
        return error(errc::configuration,
                     "too many open files: raise the process's limit (ulimit -n), or open less (max_connections)");
    }
    if (how == boost::system::errc::too_many_files_open_in_system) {
        return error(errc::configuration, "too many open files on this machine: raise its limit (fs.file-max)");
    }
    return {};
}

error no_common_tls(std::string_view reason)
{
    return {errc::configuration, "the TLS handshake failed: " + std::string(reason)
                                     + "; check the endpoint's scheme and port: it may be http there"};
}

error at_endpoint(error const& why, std::string_view scheme, std::string_view authority)
{
    if (!(why == errc::configuration)) return why;
    return with(why, [&](diagnostics& more) {
        more.detail = std::string(scheme) + "://" + std::string(authority) + ": " + more.detail;
    });
}

error closed_unanswered(bool tls)
{
    std::string const hint = tls ? "" : " without an answer (if it speaks TLS there, the endpoint is https://)";
    return {errc::unavailable, "the server closed the connection" + hint};
}

broken judge(cut const& at) noexcept
{
    if (at.bytes_sent == 0) return broken::nothing_sent;
    if (at.peer_closed && at.reused && !at.response_begun) return broken::stale;
    return broken::ambiguous;
}

}  // namespace headwater::http
