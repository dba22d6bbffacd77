// Exceptions as errors, and errors in the form that the user asked for.
#include "tools/headwater/print.hpp"
#include "tools/headwater/run.hpp"
#include "tools/headwater/thrown.hpp"

#include <boost/system/system_error.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace headwater::cli {
namespace {

error caught(std::function<void()> const& throws)
{
    try {
        throws();
    } catch (...) {
        return error_of_thrown();
    }
    return {};
}

TEST(thrown, refusal_of_the_system_keeps_code_and_place)
{
    auto const boosts =
        caught([] { throw boost::system::system_error(EMFILE, boost::system::system_category(), "epoll"); });
    EXPECT_EQ(error_line(boosts), "headwater: io_error: Too many open files: the limit of open files is too low, see "
                                  "`ulimit -n` (in epoll)\n");
    auto const standard = caught([] { throw std::system_error(ENOSPC, std::generic_category(), "write"); });
    EXPECT_EQ(standard.code().value(), ENOSPC);
    auto const files = caught([] { std::filesystem::create_directory("/proc/headwater"); });
    EXPECT_TRUE(error_json(files).starts_with(R"({"error":{"code":"io_error",)")) << error_json(files);
}

TEST(thrown, others_are_told_by_what_they_are)
{
    EXPECT_EQ(caught([] { throw failure(error(errc::pruned, "gone")); }), errc::pruned);
    EXPECT_EQ(error_json(caught([] { throw std::bad_alloc(); })),
              "{\"error\":{\"code\":\"out_of_memory\",\"message\":\"Cannot allocate memory\"}}\n");
    auto const internal = error_line(caught([] { throw std::length_error("too long\nby far"); }));
    EXPECT_TRUE(internal.starts_with("headwater: internal: ")) << internal;
    EXPECT_NE(internal.find("too long\\x0aby far"), std::string::npos) << internal;
    EXPECT_TRUE(error_line(caught([] { throw 7; })).starts_with("headwater: internal: "));
    EXPECT_EQ(exit_code_of(caught([] { throw 7; })), exit_code::failure);
}

std::string told_at_the_end(error const& what, bool json)
{
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    output results(ends[1], "stdout");
    output messages(ends[1], "stderr");
    EXPECT_EQ(finish(what, json, results, messages), exit_code::failure);
    ::close(ends[1]);
    char text[512]{};
    EXPECT_GE(::read(ends[0], text, sizeof text - 1), 0);
    ::close(ends[0]);
    return text;
}

TEST(finish, tells_an_error_in_the_form_asked_for)
{
    error const full(error_code(ENOSPC, boost::system::system_category()), diagnostics("write", "stdout", ""));
    EXPECT_TRUE(told_at_the_end(full, false).starts_with("headwater: io_error: No space left on device"));
    EXPECT_TRUE(told_at_the_end(full, true).starts_with(R"({"error":{"code":"io_error")"));
}

TEST(finish, reader_that_went_away_is_told_only_what_happened_all_the_same)
{
    diagnostics why("write", "stdout", "");
    error_code const broken(EPIPE, boost::system::system_category());
    EXPECT_EQ(told_at_the_end(error(broken, why), false), "");
    why.detail = "the branch was made all the same";
    EXPECT_NE(told_at_the_end(error(broken, why), false).find("was made"), std::string::npos);
    EXPECT_NE(told_at_the_end(error(broken, diagnostics("get", "", "")), false), "");
}

}  // namespace
}  // namespace headwater::cli
