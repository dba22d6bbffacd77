// Requests and files; the program is in child_process.
#include "adapters/credentials/reach.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace headwater::credentials {

namespace {

error unreached(error const& why, std::string_view from)
{
    return with(why, [&](diagnostics& told) {
        told.detail = "no credentials from " + std::string(from) + (told.detail.empty() ? "" : ": ") + told.detail;
    });
}

task<http::response> exchange_with(std::unique_ptr<http::transport> to, http::request const& what,
                                   std::string_view from)
{
    auto got = co_await to->send(what);
    if (!got) co_return unreached(got.error().why, from);
    co_return *std::move(got);
}

http_options metadata_options()
{
    http_options out;
    out.max_connections = 1;
    out.connect_timeout = out.first_byte_timeout = out.idle_timeout = out.total_timeout = metadata_timeout;
    return out;
}

}  // namespace

task<http::response> reach::ask(http::endpoint const& where, http::request const& what, std::string_view from) const
{
    return exchange_with(http::make_transport(executor_, time_, where, options_), what, from);
}

task<http::response> reach::ask_machine(http::endpoint const& where, http::request const& what,
                                        std::string_view from) const
{
    return exchange_with(http::make_native_transport(executor_, time_, where, metadata_options()), what, from);
}

bool is_metadata_host(std::string_view host)
{
    boost::system::error_code failed;
    auto const address = boost::asio::ip::make_address(host, failed);
    if (failed) return false;
    if (address.is_v4()) return address.to_v4().to_uint() >> 16 == 0xa9fe;
    constexpr std::array<unsigned char, 4> of_ec2{0xfd, 0x00, 0x0e, 0xc2};
    auto const bytes = address.to_v6().to_bytes();
    return address.to_v6().is_link_local() || std::equal(of_ec2.begin(), of_ec2.end(), bytes.begin());
}

namespace {

error refused_file(std::string_view what, char const* why)
{
    return {errc::configuration, "the file of " + std::string(what) + ' ' + why};
}

}  // namespace

result<std::string> read_settings_file(std::string const& path, std::string_view what)
{
    std::ifstream in(path, std::ios::binary);
    std::error_code unknown;
    if (!in || std::filesystem::is_directory(path, unknown)) return refused_file(what, "cannot be read");
    std::string text;
    for (char buffer[4096]; in.read(buffer, sizeof buffer), in.gcount() > 0;) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > max_secret_file) return refused_file(what, "is larger than max_secret_file (1 MiB)");
    }
    while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos) text.pop_back();
    return text;
}

result<std::string> read_secret_file(std::string const& path, std::string_view what)
{
    auto text = read_settings_file(path, what);
    if (text && text->empty()) return refused_file(what, "is empty");
    return text;
}

}  // namespace headwater::credentials
