// The bytes of a request, Keep-Alive, and what a cut means.
#include "adapters/http/wire.hpp"

#include <gtest/gtest.h>

namespace headwater::http {

using namespace std::chrono_literals;

TEST(write_request, without_a_body_has_no_length)
{
    request what;
    what.target = "/bucket/a%20b?list-type=2";
    what.fields = {{"x-amz-date", "20260101T000000Z"}, {"Range", "bytes=0-9"}};
    std::string out = "left over";
    write_request(what, "store:9000", out);
    EXPECT_EQ(out, "GET /bucket/a%20b?list-type=2 HTTP/1.1\r\nHost: store:9000\r\nx-amz-date: 20260101T000000Z\r\n"
                   "Range: bytes=0-9\r\n\r\n");
}

TEST(write_request, a_put_always_says_its_length)
{
    request what;
    what.method = "PUT";
    std::string out;
    write_request(what, "h", out);
    EXPECT_EQ(out, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    what.body = bytes("abc");
    write_request(what, "h", out);
    EXPECT_EQ(out, "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
}

TEST(check_request, what_would_split_the_message_is_refused_by_name_only)
{
    struct {
        char const* about;
        char const* method;
        char const* target;
        field extra;
        char const* named;
    } const rows[] = {
        {"a line end in a value", "GET", "/", {"authorization", "hush\r\nx: y"}, "authorization"},
        {"a NUL in a value", "GET", "/", {"a", std::string("hush\0", 5)}, "field a"},
        {"a space in a name", "GET", "/", {"a b", "hush"}, "name"},
        {"an empty name", "GET", "/", {"", "hush"}, "name"},
        {"a space in the target", "GET", "/a hush", {"a", "b"}, "target"},
        {"a line end in the target", "GET", "/?sig=hush\r\n", {"a", "b"}, "target"},
        {"a target without a slash", "GET", "hush", {"a", "b"}, "target"},
        {"raw UTF-8 in the target", "GET", "/\xc3\xa4hush", {"a", "b"}, "target"},
        {"a space in the method", "GE T", "/", {"a", "b"}, "method"},
        {"an empty method", "", "/", {"a", "b"}, "method"},
        {"our own Host", "GET", "/", {"HOST", "hush"}, "HOST"},
        {"our own length", "PUT", "/", {"Content-Length", "5"}, "Content-Length"},
        {"another framing", "PUT", "/", {"transfer-encoding", "chunked"}, "transfer-encoding"},
    };
    for (auto const& row : rows) {
        SCOPED_TRACE(row.about);
        request what;
        what.method = row.method;
        what.target = row.target;
        what.fields = {row.extra};
        auto const wrong = check_request(what);
        ASSERT_TRUE(wrong);
        EXPECT_EQ(*wrong, errc::invalid_argument);
        EXPECT_NE(wrong->message().find(row.named), std::string::npos) << wrong->message();
        EXPECT_EQ(wrong->message().find("hush"), std::string::npos) << wrong->message();
    }
}

TEST(check_request, obs_text_and_tabs_in_values_pass)
{
    request what;
    what.fields = {{"x-amz-meta-name", "gr\xc3\xbc\xc3\x9f\tdich"}};
    EXPECT_FALSE(check_request(what));
}

TEST(keep_alive_timeout, is_read_among_other_parameters)
{
    EXPECT_EQ(keep_alive_timeout("timeout=5, max=100"), 5s);
    EXPECT_EQ(keep_alive_timeout("max=100,Timeout=7"), 7s);
    EXPECT_EQ(keep_alive_timeout(" timeout=0 "), 0s);
    for (auto const* nothing : {"", "max=5", "timeout", "timeout=", "timeout=-1", "timeout=5x", "xtimeout=5", ",,"}) {
        EXPECT_EQ(keep_alive_timeout(nothing), std::nullopt) << nothing;
    }
}

TEST(keep_time, is_the_shorter_of_the_option_and_the_servers_with_a_margin)
{
    EXPECT_EQ(keep_time(4s, ""), 4s);
    EXPECT_EQ(keep_time(4s, "timeout=60"), 4s);
    EXPECT_EQ(keep_time(4s, "timeout=3"), 2s);
    EXPECT_EQ(keep_time(4s, "timeout=1"), 0s);
    EXPECT_EQ(keep_time(4s, "timeout=0"), 0s);
}

TEST(out_of_files, is_a_setting_and_nothing_else_is)
{
    using boost::system::errc::make_error_code;
    for (auto const code :
         {boost::system::errc::too_many_files_open, boost::system::errc::too_many_files_open_in_system}) {
        auto const why = out_of_files(make_error_code(code));
        ASSERT_TRUE(why);
        EXPECT_EQ(*why, errc::configuration);
        EXPECT_NE(why->message().find("too many open files"), std::string::npos);
    }
    EXPECT_FALSE(out_of_files(make_error_code(boost::system::errc::connection_refused)));
    EXPECT_FALSE(out_of_files({}));
}

TEST(judge, only_a_reused_connection_closed_before_any_answer_is_stale)
{
    for (int bits = 0; bits < 16; ++bits) {
        cut at;
        at.bytes_sent = (bits & 1) != 0 ? 10 : 0;
        at.response_begun = (bits & 2) != 0;
        at.reused = (bits & 4) != 0;
        at.peer_closed = (bits & 8) != 0;
        auto const expected = at.bytes_sent == 0 ? broken::nothing_sent
                              : bits == 13       ? broken::stale
                                                 : broken::ambiguous;
        EXPECT_EQ(judge(at), expected) << bits;
    }
}

}  // namespace headwater::http
