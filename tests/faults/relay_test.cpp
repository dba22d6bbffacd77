// Bodies that are cut between a real server and the client: what the servers themselves make of Range with If-Match,
// and of checksums. A relay in between forwards each request and cuts one answer.
#include "tests/servers/script_server.hpp"
#include "tests/support/run.hpp"

#include <headwater/adapters/url.hpp>
#include <headwater/clock.hpp>
#include <headwater/random.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace headwater {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::string variable(char const* name)
{
    auto const* const value = std::getenv(name);
    return value ? value : "";
}

// `http://127.0.0.1:8000` and more behind it.
struct upstream {
    explicit upstream(std::string const& url)
    {
        auto const host = url.find("//") + 2;
        auto const colon = url.find(':', host);
        name = url.substr(host, colon - host);
        port = url.substr(colon + 1, url.find('/', colon) - colon - 1);
    }
    std::string name, port;
};

std::size_t promised_size(std::string head)
{
    std::ranges::transform(head, head.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    auto const at = head.find("content-length:");
    return at == head.npos ? 0 : std::stoul(head.substr(at + 15));
}

/// Forwards each request on a connection of its own; cuts the answer to a GET so often as it is told.
class relay {
public:
    explicit relay(std::string const& url) : to_(url) {}

    std::uint16_t port() const { return server_.port(); }
    std::atomic<int> cuts{0};
    std::vector<std::string> gets()
    {
        std::lock_guard const locked(guard_);
        return gets_;
    }

private:
    std::string forward(std::string const& request) const
    {
        asio::io_context io;
        tcp::socket socket(io);
        tcp::resolver resolver(io);
        asio::connect(socket, resolver.resolve(to_.name, to_.port));
        asio::write(socket, asio::buffer(request));
        std::string answer;
        auto const head = asio::read_until(socket, asio::dynamic_buffer(answer), "\r\n\r\n");
        auto const size = head + (request.starts_with("HEAD") ? 0 : promised_size(answer.substr(0, head)));
        if (answer.size() < size) {
            auto const missing = size - answer.size();
            asio::read(socket, asio::dynamic_buffer(answer), asio::transfer_exactly(missing));
        }
        return answer;
    }

    asio::awaitable<void> serve(test::peer& client)
    {
        for (;;) {
            auto const request = co_await client.request();
            if (request.empty()) co_return;
            auto const answer = forward(request);
            bool const is_get = request.starts_with("GET");
            if (is_get) {
                std::lock_guard const locked(guard_);
                gets_.push_back(request);
            }
            bool const cut = is_get && cuts > 0 && cuts-- > 0;
            if (cut) client.choke(answer.size() / 2);
            co_await client.send(answer);
            if (cut) co_return;
        }
    }

    upstream to_;
    std::mutex guard_;
    std::vector<std::string> gets_;
    test::script_server server_{[this](test::peer& client) { return serve(client); }};
};

struct cut_at_a_server : testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {
    bool is_s3() const { return std::get<0>(GetParam()).starts_with("s3"); }

    environment settings(std::uint16_t port) const
    {
        auto const here = "http://127.0.0.1:" + std::to_string(port);
        std::map<std::string, std::string, std::less<>> table{{"HEADWATER_TRANSPORT", std::get<1>(GetParam())},
                                                              {"HEADWATER_CHECKSUM", std::get<2>(GetParam())}};
        if (is_s3()) {
            table["AWS_ENDPOINT_URL"] = here;
            table["AWS_S3_FORCE_PATH_STYLE"] = "true";
            table["AWS_ACCESS_KEY_ID"] = variable("AWS_ACCESS_KEY_ID");
            table["AWS_SECRET_ACCESS_KEY"] = variable("AWS_SECRET_ACCESS_KEY");
        } else {
            auto const account = variable("HEADWATER_TEST_AZURE_ACCOUNT");
            table["AZURITE_BLOB_STORAGE_URL"] = here + '/' + account;
            table["AZURE_STORAGE_ACCOUNT_NAME"] = account;
            table["AZURE_STORAGE_ACCOUNT_KEY"] = variable("HEADWATER_TEST_AZURE_KEY");
        }
        return [table](std::string_view name) -> std::optional<std::string> {
            auto const found = table.find(name);
            return found == table.end() ? std::nullopt : std::optional(found->second);
        };
    }
};

INSTANTIATE_TEST_SUITE_P(servers, cut_at_a_server,
                         testing::Combine(testing::Values("s3_relayed", "azure_relayed"),
                                          testing::Values("native", "curl"), testing::Values("none", "md5", "crc64")),
                         [](auto const& one) {
                             return std::get<0>(one.param) + "_" + std::get<1>(one.param) + "_"
                                    + std::get<2>(one.param);
                         });

TEST_P(cut_at_a_server, is_read_to_its_end_and_belongs_to_one_version)
{
    auto const url = variable(is_s3() ? "HEADWATER_TEST_S3_URL" : "HEADWATER_TEST_AZURE_URL");
    auto const bucket = variable(is_s3() ? "HEADWATER_TEST_S3_BUCKET" : "HEADWATER_TEST_AZURE_CONTAINER");
    if (url.empty() || bucket.empty()) {
        ASSERT_NE(variable("HEADWATER_TEST_REQUIRE_SERVERS"), "1");
        GTEST_SKIP() << "needs the servers: run tests/run, or source the env files of tests/servers";
    }
    relay between(url);
    asio::io_context io(1);
    auto const time = make_system_clock();
    auto const chance = make_system_random();
    auto const prefix = "cut-" + std::to_string(chance->next());
    auto const address = (is_s3() ? "s3://" : "az://") + bucket + '/' + prefix;
    auto const opened = open_store(io.get_executor(), *time, *chance, address, settings(between.port()));
    ASSERT_TRUE(opened) << opened.error().message();
    auto& store = **opened;

    object_key const key("object");
    std::string content;
    while (content.size() < 200'000) content += std::to_string(content.size()) + ',';
    auto const made = test::run(io, store.put_if_absent(key, bytes(content)));
    ASSERT_TRUE(made && made->created) << (made ? "" : made.error().message());

    between.cuts = 2;
    auto const whole = test::run(io, store.get(key, get_options()));
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_TRUE(whole->content.view() == content);
    EXPECT_EQ(whole->tag, made->tag);
    EXPECT_EQ(whole->info.attempts, 3u);
    EXPECT_EQ(between.gets().size(), 3u);

    get_options part;
    part.range = byte_range{1'000, 150'999};
    between.cuts = 1;
    auto const range = test::run(io, store.get(key, part));
    ASSERT_TRUE(range) << range.error().message();
    EXPECT_TRUE(range->content.view() == content.substr(1'000, 150'000));
    EXPECT_TRUE(test::run(io, store.remove(key)));
}

}  // namespace
}  // namespace headwater
