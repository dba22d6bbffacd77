// What the parser makes of bytes: every answer is fed whole and byte by byte, and both must agree.
#include "adapters/http/connection_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headwater::http {

namespace {

constexpr std::uint64_t plenty = 1 << 20;

struct outcome {
    bool done = false;
    bool keep_alive = false;
    std::optional<error> wrong;
    response got;
};

request asking(std::string method, std::uint64_t max_body)
{
    request out;
    out.method = std::move(method);
    out.max_body = max_body;
    out.max_refusal = max_body + 1;
    return out;
}

// Feeds `wire` in pieces of `piece` bytes, keeping back what is not used, as a connection does.
outcome feed(std::string const& wire, std::size_t piece, bool to_head = false, std::uint64_t max_body = plenty,
             bool end = false)
{
    response_parser parser;
    parser.begin(asking(to_head ? "HEAD" : "GET", max_body));
    std::string waiting;
    for (std::size_t at = 0; at < wire.size() && !parser.done() && !parser.wrong(); at += piece) {
        waiting += wire.substr(at, piece);
        waiting.erase(0, parser.put(waiting));
    }
    outcome out;
    out.done = parser.done() || (end && !parser.wrong() && parser.put_end());
    out.wrong = parser.wrong();
    if (!out.done) return out;
    out.keep_alive = parser.keep_alive();
    out.got = parser.take();
    return out;
}

struct bad_row {
    char const* about;
    std::string wire;
    errc code;
    char const* named;
};

}  // namespace

TEST(parser, an_answer_in_any_pieces_is_the_same)
{
    std::string const wire = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 5\r\nx-y:  z \r\n\r\nhello";
    for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
        auto const out = feed(wire, piece);
        ASSERT_TRUE(out.done) << piece;
        EXPECT_EQ(out.got.status, 200);
        EXPECT_EQ(out.got.body, "hello");
        EXPECT_EQ(out.got.find("etag"), "\"a\"");
        EXPECT_EQ(out.got.find("x-y"), "z");
        EXPECT_TRUE(out.keep_alive);
    }
}

TEST(parser, a_chunked_body_comes_out_whole_and_trailers_are_dropped)
{
    std::string const wire =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nETag: no\r\n\r\n";
    for (std::size_t piece : {std::size_t{1}, std::size_t{7}, wire.size()}) {
        auto const out = feed(wire, piece);
        ASSERT_TRUE(out.done) << piece;
        EXPECT_EQ(out.got.body, "abcde");
        EXPECT_EQ(out.got.find("etag"), "");
    }
}

TEST(parser, interim_answers_are_skipped)
{
    std::string const wire = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                             "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    for (std::size_t piece : {std::size_t{1}, wire.size()}) {
        auto const out = feed(wire, piece);
        ASSERT_TRUE(out.done);
        EXPECT_EQ(out.got.status, 201);
        EXPECT_EQ(out.got.find("link"), "");
    }
}

TEST(parser, answers_without_a_body_end_with_their_header)
{
    for (auto const* status : {"204 No Content", "304 Not Modified"}) {
        auto const out = feed("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 100\r\n\r\n", 1000);
        EXPECT_TRUE(out.done) << status;
        EXPECT_TRUE(out.got.body.empty());
    }
    auto const head = feed("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", 1000, true, 0);
    EXPECT_TRUE(head.done);
    EXPECT_EQ(head.got.find("content-length"), "100");
}

TEST(parser, connection_close_and_http_1_0_are_not_kept)
{
    EXPECT_FALSE(feed("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 99).keep_alive);
    EXPECT_FALSE(feed("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", 99).keep_alive);
    EXPECT_TRUE(feed("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", 99).keep_alive);
}

TEST(parser, only_an_errors_body_may_end_with_the_connection)
{
    auto const failed = feed("HTTP/1.1 503 Busy\r\n\r\nslow down", 99, false, plenty, true);
    ASSERT_TRUE(failed.done);
    EXPECT_EQ(failed.got.body, "slow down");
    EXPECT_FALSE(failed.keep_alive);
    auto const good = feed("HTTP/1.1 200 OK\r\n\r\nhalf", 99, false, plenty, true);
    EXPECT_FALSE(good.done);
    ASSERT_TRUE(good.wrong);
    EXPECT_EQ(*good.wrong, errc::protocol);
}

TEST(parser, an_end_inside_an_answer_is_not_an_answer)
{
    for (auto const* wire :
         {"HTTP/1.1 503", "HTTP/1.1 503 x\r\nA: b\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
          "HTTP/1.1 503 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
        EXPECT_FALSE(feed(wire, 99, false, plenty, true).done) << wire;
    }
}

TEST(parser, what_is_not_http_is_refused)
{
    std::string const ok = "HTTP/1.1 200 OK\r\n";
    bad_row const rows[] = {
        {"another protocol", "SSH-2.0-OpenSSH_9\r\n\r\n", errc::protocol, "not HTTP"},
        {"TLS", "\x15\x03\x03 \x02\x02\x46\r\n\r\n", errc::protocol, "not HTTP"},
        {"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", errc::protocol, "not HTTP"},
        {"a bare status", "200 OK\r\n\r\n", errc::protocol, "not HTTP"},
        {"a signed length", ok + "Content-Length: -1\r\n\r\n", errc::protocol, "not HTTP"},
        {"a length past 64 bits", ok + "Content-Length: 99999999999999999999\r\n\r\n", errc::protocol, "not HTTP"},
        {"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", errc::protocol, "not HTTP"},
        {"length and chunks", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", errc::protocol,
         "not HTTP"},
        {"chunks and length", ok + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", errc::protocol,
         "not HTTP"},
        {"another coding", ok + "Transfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", errc::protocol, "not HTTP"},
        {"a coding before chunked", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", errc::protocol, "not HTTP"},
        {"a chunk's size", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", errc::protocol, "not HTTP"},
        {"a chunk's end", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nabcdefgh\r\n\r\n", errc::protocol, "not HTTP"},
        {"a space in a name", ok + "a b: c\r\n\r\n", errc::protocol, "not HTTP"},
        {"another protocol afterwards", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", errc::protocol, "not HTTP"},
        {"no length", ok + "\r\n", errc::protocol, "how long"},
    };
    for (auto const& row : rows) {
        for (std::size_t piece : {std::size_t{1}, row.wire.size()}) {
            SCOPED_TRACE(row.about + std::string(piece == 1 ? ", byte by byte" : ", whole"));
            auto const out = feed(row.wire, piece);
            EXPECT_FALSE(out.done);
            ASSERT_TRUE(out.wrong);
            EXPECT_EQ(*out.wrong, row.code);
            EXPECT_NE(out.wrong->message().find(row.named), std::string::npos) << out.wrong->message();
        }
    }
}

TEST(parser, every_limit_is_named)
{
    std::string const ok = "HTTP/1.1 200 OK\r\n";
    std::string interim;
    for (int i = 0; i <= max_interim_answers; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
    std::string many_fields = ok;
    while (many_fields.size() < max_header_bytes + 2000) many_fields += "x-field: " + std::string(100, 'v') + "\r\n";
    bad_row const rows[] = {
        {"a length above max_body", ok + "Content-Length: 11\r\n\r\n", errc::limit_exceeded, "max_body"},
        {"chunks above max_body", ok + "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\n", errc::limit_exceeded,
         "max_body"},
        {"an error's length", "HTTP/1.1 502 x\r\nContent-Length: 12\r\n\r\n", errc::protocol, "max_refusal"},
        {"an endless error", "HTTP/1.1 500 x\r\n\r\n123456789012", errc::protocol, "max_refusal"},
        {"one long field", ok + "a: " + std::string(2 * max_header_bytes, 'b'), errc::protocol, "max_header_bytes"},
        {"a long reason", "HTTP/1.1 200 " + std::string(2 * max_header_bytes, 'b'), errc::protocol, "max_header_bytes"},
        {"many fields", many_fields, errc::protocol, "max_header_bytes"},
        {"interim answers", interim, errc::protocol, "max_interim_answers"},
    };
    for (auto const& row : rows) {
        SCOPED_TRACE(row.about);
        auto const out = feed(row.wire, 1000, false, 10);
        EXPECT_FALSE(out.done);
        ASSERT_TRUE(out.wrong);
        EXPECT_EQ(*out.wrong, row.code);
        EXPECT_NE(out.wrong->message().find(row.named), std::string::npos) << out.wrong->message();
    }
}

TEST(parser, the_length_alone_is_enough_to_refuse_a_body)
{
    response_parser parser;
    parser.begin(asking("GET", 10));
    parser.put("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n");
    ASSERT_TRUE(parser.wrong());
    EXPECT_EQ(*parser.wrong(), errc::limit_exceeded);
}

TEST(parser, an_error_document_may_be_larger_than_what_was_asked_for)
{
    auto const out = feed("HTTP/1.1 404 x\r\nContent-Length: 11\r\n\r\n12345678901", 7, false, 10);
    ASSERT_TRUE(out.done);
    EXPECT_EQ(out.got.body, "12345678901");
}

TEST(parser, serves_one_answer_after_the_other)
{
    response_parser parser;
    for (int i = 0; i < 3; ++i) {
        parser.begin(asking("GET", plenty));
        EXPECT_FALSE(parser.begun());
        std::string const wire = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + std::to_string(i) + "HTTP/1.1";
        EXPECT_EQ(parser.put(wire), wire.size() - 8);
        ASSERT_TRUE(parser.done());
        EXPECT_EQ(parser.take().body, std::to_string(i));
    }
}

}  // namespace headwater::http
