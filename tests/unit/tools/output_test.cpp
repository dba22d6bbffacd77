// Results reach their reader or the command fails.
#include "tools/headwater/output.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace headwater::cli {
namespace {

TEST(output, full_disk_is_an_error_at_the_flush)
{
    int const full = ::open("/dev/full", O_WRONLY);
    ASSERT_GE(full, 0);
    output to(full, "stdout");
    EXPECT_TRUE(to.write("held back"));
    auto const flushed = to.flush();
    ASSERT_FALSE(flushed);
    EXPECT_EQ(flushed.error().code().value(), ENOSPC);
    ::close(full);
}

TEST(output, reader_that_went_away_is_an_error_for_good)
{
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    output to(ends[1], "stdout");
    (void)to.write("a");
    ASSERT_FALSE(to.flush());
    ASSERT_FALSE(to.write("b"));
    EXPECT_EQ(to.flush().error().code().value(), EPIPE);
    ::close(ends[1]);
}

TEST(output, small_writes_arrive_in_order)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    output to(ends[1], "stdout");
    for (auto const* each : {"a", "", "bc", "\n"}) ASSERT_TRUE(to.write(each));
    ASSERT_TRUE(to.flush());
    ::close(ends[1]);
    char text[16]{};
    EXPECT_EQ(::read(ends[0], text, sizeof text), 4);
    EXPECT_STREQ(text, "abc\n");
    ::close(ends[0]);
}

}  // namespace
}  // namespace headwater::cli
