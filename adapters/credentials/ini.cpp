// Line by line.
#include "adapters/credentials/ini.hpp"

#include <algorithm>

namespace headwater::credentials {

namespace {

constexpr std::string_view ini_space = " \t\r";

std::string_view without_space(std::string_view text) noexcept
{
    auto const first = text.find_first_not_of(ini_space);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(ini_space) - first + 1);
}

std::string_view without_remark(std::string_view value) noexcept
{
    for (std::string_view const mark : {" #", " ;", "\t#", "\t;"}) value = value.substr(0, value.find(mark));
    return without_space(value);
}

std::string lower_name(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

}  // namespace

ini_sections parse_ini(std::string_view text)
{
    ini_sections out;
    ini_section* section = nullptr;
    std::string parent;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto const line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        auto const content = without_space(line);
        if (content.empty() || content.front() == '#' || content.front() == ';') continue;
        if (content.front() == '[') {
            auto const close = content.find(']');
            parent.clear();
            section = close == content.npos ? nullptr : &out[std::string(without_space(content.substr(1, close - 1)))];
            continue;
        }
        auto const equals = content.find('=');
        bool const nested = ini_space.find(line.front()) != ini_space.npos;
        if (!section || equals == content.npos) continue;
        auto name = lower_name(without_space(content.substr(0, equals)));
        if (nested) {
            name = parent + '.' + name;
        } else {
            parent = name;
        }
        section->insert_or_assign(std::move(name), std::string(without_remark(content.substr(equals + 1))));
    }
    return out;
}

}  // namespace headwater::credentials
