// Reading files and pipes with a bound.
#include "tools/headwater/input.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace headwater::cli {
namespace {

/// A file that goes with its object.
class text_file {
public:
    explicit text_file(std::string const& content)
        : path_(testing::TempDir() + "headwater_input_" + std::to_string(::getpid()))
    {
        std::ofstream(path_, std::ios::binary) << content;
    }
    text_file(text_file const&) = delete;
    text_file& operator=(text_file const&) = delete;
    ~text_file() { ::unlink(path_.c_str()); }

    std::string const& path() const noexcept { return path_; }

private:
    std::string path_;
};

std::vector<std::string> lines_of(std::string const& content)
{
    boost::asio::io_context io(1);
    stop_request stop(io.get_executor());
    text_file const file(content);
    auto from = input::open(file.path()).value();
    std::vector<std::string> out;
    while (auto const line = from.line({"a_limit", 1'000'000}, stop).value()) out.emplace_back(*line);
    return out;
}

TEST(input, lines_come_without_their_ends)
{
    using lines = std::vector<std::string>;
    EXPECT_EQ(lines_of(""), lines{});
    EXPECT_EQ(lines_of("a"), lines{"a"});
    EXPECT_EQ(lines_of("a\n"), lines{"a"});
    EXPECT_EQ(lines_of("a\n\nb"), (lines{"a", "", "b"}));
    EXPECT_EQ(lines_of("\n"), lines{""});
}

TEST(input, lines_are_whole_across_pieces)
{
    std::vector<std::string> expected;
    std::string content;
    for (std::size_t length : {1u, 65'535u, 65'536u, 65'537u, 0u, 200'000u, 3u}) {
        expected.emplace_back(length, static_cast<char>('a' + expected.size()));
        content += expected.back() + '\n';
    }
    EXPECT_EQ(lines_of(content), expected);
}

TEST(input, more_than_the_bound_is_refused)
{
    boost::asio::io_context io(1);
    stop_request stop(io.get_executor());
    text_file const file("12345\n123456\n");
    auto from = input::open(file.path()).value();
    EXPECT_EQ(from.line({"a_limit", 5}, stop).value(), "12345");
    EXPECT_EQ(from.line({"a_limit", 5}, stop).error(), errc::invalid_argument);

    EXPECT_EQ(input::open(file.path()).value().all({"a_limit", 13}).value(), "12345\n123456\n");
    EXPECT_EQ(input::open(file.path()).value().all({"a_limit", 12}).error(), errc::invalid_argument);
}

TEST(input, missing_file_is_named)
{
    auto const missing = input::open("/no/such/file");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error(), errc::invalid_argument);
    EXPECT_NE(missing.error().message().find("/no/such/file"), std::string::npos);
}

TEST(stop_request, first_signal_is_a_request_and_ends_the_waiting)
{
    boost::asio::io_context io(1);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    {
        stop_request stop(io.get_executor());
        EXPECT_FALSE(stop.made());
        ASSERT_EQ(::raise(SIGTERM), 0);
        EXPECT_FALSE(stop.wait_readable(ends[0]));
        EXPECT_TRUE(stop.made());
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(stop_request, second_signal_ends_the_process)
{
    EXPECT_EXIT(
        {
            boost::asio::io_context io(1);
            stop_request stop(io.get_executor());
            ::raise(SIGINT);
            io.poll();
            if (stop.made()) ::raise(SIGINT);
            std::_Exit(0);
        },
        testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace headwater::cli
