// What the dialects share: the request's parts, encodings, digests, the rows of a page.
#include "tests/servers/store_dialect.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace headwater::test {

std::string_view asked::find(std::string_view name) const
{
    auto const at = std::ranges::find(fields, name, [](auto const& field) -> std::string_view { return field.first; });
    return at == fields.end() ? std::string_view() : std::string_view(at->second);
}

asked read_request(std::string_view bytes)
{
    asked out;
    auto const head = bytes.substr(0, bytes.find("\r\n\r\n"));
    out.body = bytes.substr(std::min(head.size() + 4, bytes.size()));
    auto const first = head.substr(0, head.find("\r\n"));
    auto const space = first.find(' ');
    out.method = first.substr(0, space);
    auto const target = first.substr(space + 1, first.rfind(' ') - space - 1);
    out.path = target.substr(0, target.find('?'));
    if (out.path.size() < target.size()) out.query = target.substr(out.path.size() + 1);
    for (auto at = first.size(); at < head.size();) {
        auto const line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        auto const colon = std::min(line.find(':'), line.size());
        auto value = line.substr(std::min(colon + 1, line.size()));
        value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
        out.fields.emplace_back(lower_case(line.substr(0, colon)), value);
        at += 2 + line.size();
    }
    return out;
}

std::string percent_decoded(std::string_view text, bool plus_is_space)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' && at + 2 < text.size()) {
            out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
            at += 2;
        } else {
            out += plus_is_space && text[at] == '+' ? ' ' : text[at];
        }
    }
    return out;
}

std::string percent_encoded(std::string_view text, std::string_view keep)
{
    std::string out;
    for (char const each : text) {
        bool const alphanumeric =
            (each >= '0' && each <= '9') || (each >= 'A' && each <= 'Z') || (each >= 'a' && each <= 'z');
        if (alphanumeric || std::string_view("-._~").find(each) != std::string_view::npos
            || keep.find(each) != keep.npos) {
            out += each;
        } else {
            std::array<char, 4> code{};
            std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(each)));
            out += code.data();
        }
    }
    return out;
}

std::string lower_case(std::string_view text)
{
    std::string out(text);
    for (char& each : out) {
        if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
    }
    return out;
}

std::string hex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (char const each : bytes) {
        auto const value = static_cast<unsigned char>(each);
        out += digits[value / 16];
        out += digits[value % 16];
    }
    return out;
}

std::string sha256(std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned length = 0;
    EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, EVP_sha256(), nullptr);
    return {reinterpret_cast<char const*>(out.data()), length};
}

std::string hmac_sha256(std::string_view key, std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<unsigned char const*>(bytes.data()),
         bytes.size(), out.data(), &length);
    return {reinterpret_cast<char const*>(out.data()), length};
}

std::string md5(std::string_view bytes)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned length = 0;
    EVP_Digest(bytes.data(), bytes.size(), out.data(), &length, EVP_md5(), nullptr);
    return {reinterpret_cast<char const*>(out.data()), length};
}

std::string crc64(std::string_view bytes)
{
    constexpr std::uint64_t polynomial = 0xAD93D23594C93659;
    auto const mirrored = [](std::uint64_t word, int bits) {
        std::uint64_t out = 0;
        for (int at = 0; at < bits; ++at) out |= (word >> at & 1) << (bits - 1 - at);
        return out;
    };
    std::uint64_t word = ~0ull;
    for (char const each : bytes) {
        word ^= mirrored(static_cast<unsigned char>(each), 8) << 56;
        for (int bit = 0; bit < 8; ++bit) word = word << 1 ^ ((word >> 63) != 0 ? polynomial : 0);
    }
    word = mirrored(~word, 64);
    std::string out;
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xFF);
    return out;
}

std::string to_base64(std::string_view raw)
{
    std::string out(4 * ((raw.size() + 2) / 3) + 1, '\0');
    auto const length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<unsigned char const*>(raw.data()), static_cast<int>(raw.size()));
    out.resize(static_cast<std::size_t>(length));
    return out;
}

std::string from_base64(std::string_view text)
{
    std::string out(text.size(), '\0');
    auto const length =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<unsigned char const*>(text.data()), static_cast<int>(text.size()));
    auto const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    out.resize(static_cast<std::size_t>(std::max(length - padding, 0)));
    return out;
}

std::string xml_text(std::string_view raw)
{
    std::string out;
    for (char const each : raw) {
        switch (each) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&#x3E;"; break;  // As a number: readers must take both.
        default: out += each;
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> raw_parameters(std::string_view query)
{
    std::vector<std::pair<std::string, std::string>> out;
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        auto const equals = std::min(part.find('='), part.size());
        out.emplace_back(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
    }
    return out;
}

std::string parameter(asked const& what, std::string_view name)
{
    for (auto const& [label, value] : raw_parameters(what.query)) {
        if (label == name) return percent_decoded(value, true);
    }
    return {};
}

page_rows page_of(stored_objects const& all, std::string_view prefix, std::string_view after,
                  std::string_view delimiter, std::size_t most)
{
    page_rows out;
    std::string last;
    for (auto const& row : all) {
        auto const& key = row.first;
        if (!key.starts_with(prefix) || key <= after) continue;
        auto const group = delimiter.empty() ? key.npos : key.find(delimiter, prefix.size());
        auto const folder = group == key.npos ? std::string() : key.substr(0, group + delimiter.size());
        bool const known = !out.prefixes.empty() && out.prefixes.back() == folder;
        if (!folder.empty() && (known || after.starts_with(folder))) {
            last = key;
            continue;
        }
        if (out.objects.size() + out.prefixes.size() == most) {
            out.next_after = last;
            return out;
        }
        last = key;
        if (folder.empty()) {
            out.objects.push_back(&row);
        } else {
            out.prefixes.push_back(folder);
        }
    }
    return out;
}

std::string http_date(std::chrono::sys_seconds when)
{
    constexpr std::array<char const*, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<char const*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    auto const day = std::chrono::floor<std::chrono::days>(when);
    std::chrono::year_month_day const date(day);
    std::chrono::hh_mm_ss const time(when - day);
    std::array<char, 64> out{};
    std::snprintf(out.data(), out.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                  days[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                  months[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return out.data();
}

}  // namespace headwater::test
