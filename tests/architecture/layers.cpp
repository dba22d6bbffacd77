// The layer rules. Pure: they judge text and never touch the disk.
#include "tests/architecture/layers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace headwater::architecture {

namespace {

constexpr std::string_view core_headers = "include/headwater";
constexpr std::string_view adapter_headers = "include/headwater/adapters";

// Folders whose code others link: the bans hold here. Tests and benchmarks may look at a clock.
constexpr std::array<std::string_view, 4> product = {"include/", "src/", "adapters/", "tools/"};
constexpr std::array<std::string_view, 5> ours = {"src/", "adapters/", "tools/", "tests/", "bench/"};
// What a public header may show of other libraries.
constexpr std::array<std::string_view, 3> shown_boost = {"boost/asio/", "boost/system/", "boost/assert/"};

struct include_line {
    std::string_view target;
    bool quoted = false;
};

bool begins_with_any(std::string_view text, auto const& prefixes)
{
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_in(std::string_view path, std::string_view folder)
{
    return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::optional<include_line> parse_include(std::string_view line)
{
    auto const skip_spaces = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_spaces();
    if (!line.starts_with('#')) return {};
    line.remove_prefix(1);
    skip_spaces();
    if (!line.starts_with("include")) return {};
    line.remove_prefix(std::string_view("include").size());
    skip_spaces();
    bool const quoted = line.starts_with('"');
    if (!quoted && !line.starts_with('<')) return {};
    line.remove_prefix(1);
    return include_line{line.substr(0, line.find(quoted ? '"' : '>')), quoted};
}

std::string_view without_comment(std::string_view line)
{
    auto const first = line.find_first_not_of(" \t");
    if (first != line.npos && line.substr(first).starts_with("//")) return {};
    return line.substr(0, line.find(" //"));
}

// The path from the source root that an include names; nothing if it is another library's.
std::optional<std::string> own_path(include_line const& include)
{
    if (include.target.starts_with("headwater/")) return "include/" + std::string(include.target);
    if (include.quoted || begins_with_any(include.target, ours)) return std::string(include.target);
    return {};
}

std::optional<std::string> judge_include(layer const& from, include_line const& include)
{
    auto const path = own_path(include);
    if (!path) {
        bool const hidden = include.target.starts_with("boost/") && !begins_with_any(include.target, shown_boost);
        if (hidden && from.folder.starts_with(core_headers)) {
            return "a public header may not show " + std::string(include.target);
        }
        return {};
    }
    auto const* const to = layer_of(*path);
    if (!to) return "includes are written from the source root: " + *path;
    if (to == &from || std::ranges::find(from.below, to->folder) != from.below.end()) return {};
    return std::string(from.folder) + " may not include " + std::string(to->folder);
}

}  // namespace

std::vector<layer> const& layers()
{
    static std::vector<layer> const table = {
        {core_headers, {}},
        {adapter_headers, {core_headers}},
        {"src/base", {core_headers}},
        {"src/format", {core_headers, "src/base"}},
        {"src/store", {core_headers, "src/base"}},
        {"src/log", {core_headers, "src/base", "src/format", "src/store"}},
        {"src/conformance", {core_headers, "src/base", "src/store"}},
        {"src/upkeep", {core_headers, "src/base", "src/format", "src/store", "src/log"}},
        {"adapters/local", {core_headers}},
        {"adapters/memory", {core_headers, adapter_headers, "adapters/local"}},
        {"adapters/file", {core_headers, adapter_headers, "adapters/local"}},
        {"adapters/xml", {core_headers, adapter_headers}},
        {"adapters/http", {core_headers, adapter_headers}},
        {"adapters/curl", {core_headers, adapter_headers, "adapters/http"}},
        {"adapters/credentials", {core_headers, adapter_headers, "adapters/http", "adapters/xml"}},
        {"adapters/s3", {core_headers, adapter_headers, "adapters/http", "adapters/xml", "adapters/credentials"}},
        {"adapters/azure", {core_headers, adapter_headers, "adapters/http", "adapters/xml", "adapters/credentials"}},
        {"adapters/url", {core_headers, adapter_headers, "adapters/http", "adapters/credentials"}},
        {"tools", {core_headers, adapter_headers}},
        {"bench", {core_headers, adapter_headers}},
        {"tests/support", {core_headers, adapter_headers, "src/base", "src/format"}},
        {"tests/conformance", {core_headers, adapter_headers, "tests/support"}},
        {"tests/simulation", {core_headers, adapter_headers, "tests/support"}},
    };
    return table;
}

std::vector<ban> const& bans()
{
    static std::vector<ban> const table = {
        {"boost/beast", "adapters/http/connection", "the values of adapters/http/message.hpp"},
        {"boost/asio/ssl", "adapters/http/connection", "adapters/http/transport.hpp"},
        {"asio::ssl", "adapters/http/connection", "adapters/http/transport.hpp"},
        {"openssl/ssl.h", "adapters/http/connection", "adapters/http/transport.hpp"},
        {"steady_timer", "src/base/system_clock", "clock::sleep_for"},
        {"system_timer", "src/base/system_clock", "clock::sleep_for"},
        {"deadline_timer", "src/base/system_clock", "clock::sleep_for"},
        {"high_resolution_timer", "src/base/system_clock", "clock::sleep_for"},
        {"_clock::now", "src/base/system_clock", "clock::now"},
        {"random_device", "src/base/system_random", "random"},
        {"getrandom", "src/base/system_random", "random"},
        {"getenv", "adapters/credentials/environment", "headwater::environment"},
        {"std::cout", "tools/", "a value that is returned"},
        {"std::thread", "", "the caller's executor"},
        {"std::jthread", "", "the caller's executor"},
        {"std::async", "", "headwater::async"},
    };
    return table;
}

layer const* layer_of(std::string_view path)
{
    layer const* best = nullptr;
    for (auto const& candidate : layers()) {
        if (is_in(path, candidate.folder) && (!best || candidate.folder.size() > best->folder.size())) {
            best = &candidate;
        }
    }
    return best;
}

std::vector<finding> check_layers(source_file const& file)
{
    auto const* const from = layer_of(file.path);
    if (!from) return {{file.path, 1, "is in no layer"}};
    std::vector<finding> out;
    for (std::size_t at = 0; at < file.lines.size(); ++at) {
        if (auto const include = parse_include(file.lines[at])) {
            if (auto what = judge_include(*from, *include)) out.push_back({file.path, at + 1, *what});
        }
        auto const code = without_comment(file.lines[at]);
        for (auto const& [token, home, instead] : bans()) {
            bool const at_home = !home.empty() && file.path.starts_with(home);
            if (at_home || !begins_with_any(file.path, product) || code.find(token) == code.npos) continue;
            out.push_back({file.path, at + 1, std::string(token) + " is banned here, use " + std::string(instead)});
        }
    }
    return out;
}

}  // namespace headwater::architecture
