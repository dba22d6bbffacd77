// The outcome table of STORE section 2, each row through a real socket: what one answer, or none, means to a create, an
// update and a read. The adapter alone, without the decorators that try again.
#include "tests/faults/rig.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::deed;
using test::dialect;

/// One answer and what it means. An empty word: the row says nothing of it.
struct row {
    char const* name;
    deed what;
    std::string create;
    std::string update;
    std::string read;
};

constexpr auto lost = "outcome_unknown";
constexpr auto later = "unavailable";
constexpr auto setting = "configuration";
constexpr auto denied = "access_denied";

void put_field(std::string& wire, std::string_view name, std::string const& line)
{
    auto const at = wire.find(std::string("\r\n") + std::string(name) + ':');
    if (at == wire.npos) return;
    wire.replace(at + 2, wire.find("\r\n", at + 2) - at - 2, line);
}

deed with_length(std::string const& line, deed::end then = deed::end::closes)
{
    auto out = test::rewrite([line](std::string& wire) { put_field(wire, "Content-Length", line); });
    out.then = then;
    return out;
}

deed without_length()
{
    auto out = test::rewrite([](std::string& wire) {
        auto const at = wire.find("\r\nContent-Length:");
        if (at != wire.npos) wire.erase(at, wire.find("\r\n", at + 2) - at);
    });
    out.then = deed::end::closes;
    return out;
}

deed after_interims(int count)
{
    deed out;
    for (int i = 0; i < count; ++i) out.before += "HTTP/1.1 100 Continue\r\n\r\n";
    return out;
}

deed late_by(std::chrono::milliseconds wait)
{
    deed out;
    out.waits = wait;
    return out;
}

// What no service says of itself: the wire, and the statuses of proxies.
std::vector<row> common_rows()
{
    return {
        {"a good answer", test::honest(), "created", "replaced", "ok"},
        {"applied, then no answer", test::commit_then_drop(), lost, lost, later},
        {"not applied, no answer", test::drop(), lost, lost, later},
        {"a reset", test::reset(), lost, lost, later},
        {"applied after the close", test::drop_then_commit(20ms), lost, lost, later},
        {"a cut in the status line", test::cut_after(10), lost, lost, later},
        {"a cut in the fields", test::cut_after(40), lost, lost, later},
        {"silence", test::stall_after(0), lost, lost, later},
        {"silence inside the fields", test::stall_after(40), lost, lost, later},
        {"an answer after the deadline", late_by(150ms), lost, lost, later},
        {"an answer in small pieces", test::drip(1ms), "created", "replaced", "ok"},
        {"an answer that is no HTTP", test::say("+OK POP3 ready\r\n"), lost, lost, "protocol"},
        {"a status that is no number", test::say("HTTP/1.1 abc Fine\r\n\r\n"), lost, lost, "protocol"},
        {"more length than body", with_length("Content-Length: 1000"), lost, lost, later},
        {"a length that is no number", with_length("Content-Length: many"), lost, lost, "protocol"},
        {"two lengths", with_length("Content-Length: 0\r\nContent-Length: 7"), lost, lost, "protocol"},
        {"no length", without_length(), lost, lost, "protocol"},
        {"a 100 that nobody asked for", after_interims(1), "created", "replaced", "ok"},
        {"a 100 without end", after_interims(9), lost, lost, "protocol"},
        {"412", test::refuse(412, ""), "exists", "precondition_failed", "precondition_failed"},
        {"401", test::refuse(401, ""), denied, denied, denied},
        {"403", test::refuse(403, ""), denied, denied, denied},
        {"408", test::refuse(408, ""), lost, lost, later},
        {"429", test::refuse(429, ""), later, later, later},
        {"499", test::refuse(499, ""), lost, lost, later},
        {"500", test::refuse(500, ""), lost, lost, later},
        {"502", test::refuse(502, ""), lost, lost, later},
        {"503", test::refuse(503, ""), lost, lost, later},
        {"504", test::refuse(504, ""), lost, lost, later},
        {"301 to nowhere", test::refuse(301, ""), setting, setting, setting},
    };
}

std::vector<row> s3_rows()
{
    return {
        {"304", test::refuse(304, ""), "exists", "", "not_modified"},
        {"404 NoSuchBucket", test::refuse(404, "NoSuchBucket"), setting, setting, setting},
        {"404 NoSuchKey", test::refuse(404, "NoSuchKey"), "", "precondition_failed", "not_found"},
        {"409 ConditionalRequestConflict", test::refuse(409, "ConditionalRequestConflict"), later, later, ""},
        {"409 OperationAborted", test::refuse(409, "OperationAborted"), later, later, later},
        {"412 PreconditionFailed", test::refuse(412, "PreconditionFailed"), "exists", "precondition_failed",
         "precondition_failed"},
        {"500 InternalError", test::refuse(500, "InternalError"), lost, lost, later},
        {"503 SlowDown", test::refuse(503, "SlowDown"), lost, lost, later},
        {"400 RequestTimeout", test::refuse(400, "RequestTimeout"), lost, lost, later},
        {"400 ExpiredToken", test::refuse(400, "ExpiredToken"), denied, denied, denied},
        {"403 AccessDenied", test::refuse(403, "AccessDenied"), denied, denied, denied},
        {"403 SignatureDoesNotMatch", test::refuse(403, "SignatureDoesNotMatch"), denied, denied, denied},
        {"an error in a 200", test::refuse(200, "InternalError"), lost, lost, ""},
    };
}

std::vector<row> azure_rows()
{
    return {
        {"404 ContainerNotFound", test::refuse(404, "ContainerNotFound"), setting, setting, setting},
        {"404 BlobNotFound", test::refuse(404, "BlobNotFound"), "", "precondition_failed", "not_found"},
        {"404 of a proxy", test::refuse(404, ""), setting, setting, setting},
        {"409 BlobAlreadyExists", test::refuse(409, "BlobAlreadyExists"), "exists", "", ""},
        {"412 ConditionNotMet", test::refuse(412, "ConditionNotMet"), "exists", "precondition_failed",
         "precondition_failed"},
        {"500 OperationTimedOut", test::refuse(500, "OperationTimedOut"), lost, lost, later},
        {"503 ServerBusy", test::refuse(503, "ServerBusy"), lost, lost, later},
        {"403 AuthenticationFailed", test::refuse(403, "AuthenticationFailed"), denied, denied, denied},
        {"403 AuthorizationPermissionMismatch", test::refuse(403, "AuthorizationPermissionMismatch"), denied, denied,
         denied},
        {"200 to a write", test::refuse(200, ""), lost, lost, ""},
    };
}

std::vector<row> rows_of(dialect speaks)
{
    auto out = common_rows();
    auto more = speaks == dialect::s3 ? s3_rows() : azure_rows();
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

std::string create(rig& on)
{
    auto const answer = on.run(on.adapter->put_if_absent(key, bytes("ours")));
    auto const word = told(answer);
    // What is told must be true, whatever the row says.
    if (word == "created") EXPECT_EQ(on.server.content("key"), "ours");
    if (word != "created" && word != lost) EXPECT_EQ(on.server.writes("key"), 0);
    return word;
}

std::string update(rig& on)
{
    on.server.put("key", "old");
    etag const current(on.server.tag("key"));
    auto const answer = on.run(on.adapter->put_if_match(key, bytes("new"), current));
    auto const word = told(answer);
    if (word == "replaced") EXPECT_EQ(on.server.content("key"), "new");
    if (word != "replaced" && word != lost) EXPECT_EQ(on.server.writes("key"), 0);
    return word;
}

std::string read(rig& on)
{
    on.server.put("key", "content");
    auto const answer = on.run(on.adapter->get(key, get_options()));
    if (answer) EXPECT_EQ(answer->content.view(), "content");
    return told(answer);
}

struct outcome : testing::TestWithParam<wire_kind> {
    // Each row on a server of its own: a connection that is new, and no request but this one.
    void expect_rows(std::string row::*column, std::string (*operation)(rig&)) const
    {
        for (auto const& each : rows_of(GetParam().speaks)) {
            if ((each.*column).empty()) continue;
            rig on(GetParam(), each.what);
            on.server.next({each.what});
            EXPECT_EQ(operation(on), each.*column) << each.name;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(wires, outcome, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

}  // namespace

TEST_P(outcome, of_a_create) { expect_rows(&row::create, create); }
TEST_P(outcome, of_an_update) { expect_rows(&row::update, update); }
TEST_P(outcome, of_a_read) { expect_rows(&row::read, read); }

TEST_P(outcome, conditions_are_the_stores)
{
    rig on(GetParam());
    EXPECT_EQ(create(on), "created");
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(key, bytes("theirs")))), "exists");
    EXPECT_EQ(told(on.run(on.adapter->put_if_match(key, bytes("new"), etag("\"0x999\"")))), "precondition_failed");
    etag const current(on.server.tag("key"));
    get_options unchanged;
    unchanged.if_none_match = current.text();
    EXPECT_EQ(told(on.run(on.adapter->get(key, unchanged))), "not_modified");
    EXPECT_EQ(told(on.run(on.adapter->put_if_match(key, bytes("new"), current))), "replaced");
    EXPECT_EQ(told(on.run(on.adapter->put(key, bytes("newer")))), "written");
    EXPECT_EQ(told(on.run(on.adapter->head(key))), "ok");
    EXPECT_EQ(told(on.run(on.adapter->remove(key))), "removed");
    EXPECT_EQ(told(on.run(on.adapter->remove(key))), "removed");
    EXPECT_EQ(told(on.run(on.adapter->head(key))), "not_found");
    EXPECT_EQ(on.server.wire().accepted(), 1);
}

TEST_P(outcome, every_character_of_a_key_is_signed_as_it_is_sent)
{
    rig on(GetParam());
    std::vector<std::string> keys = {"a//b",         "a/./b",      "a/../b", "a/",   "ä/ö",
                                     "\u65e5\u672c", "\U0001f30a", "%41",    "a?b#c"};
    for (char each = ' '; each < '\x7f'; ++each) {
        if (each != '\\' || GetParam().speaks == dialect::s3) keys.push_back(std::string("k") + each + "k");
    }
    for (auto const& name : keys) {
        auto const answer = on.run(on.adapter->put_if_absent(object_key(name), bytes(name)));
        EXPECT_EQ(told(answer), "created") << name << ": " << (answer ? "" : answer.error().message());
        EXPECT_EQ(on.server.content(name), name);
    }
}

TEST_P(outcome, retry_after_is_told_in_both_forms)
{
    using fields = std::vector<std::pair<std::string, std::string>>;
    auto const now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    for (auto const& field : fields{{"Retry-After", "7"}, {"Retry-After", test::http_date(now + 7s)}}) {
        rig on(GetParam());
        on.server.next({test::refuse(503, "", {field})});
        auto const wait = why(on.run(on.adapter->get(key, get_options()))).retry_after;
        ASSERT_TRUE(wait) << field.second;
        EXPECT_GE(*wait, 5s);  // The server's clock has moved on since the date was written.
        EXPECT_LE(*wait, 7s);
    }
}

TEST_P(outcome, a_clock_that_is_wrong_is_corrected_once)
{
    for (auto const offset : {2h, -2h}) {
        rig on(GetParam());
        on.server.set_clock(offset);
        auto const answer = on.run(on.adapter->put_if_absent(key, bytes("ours")));
        ASSERT_EQ(told(answer), "created");
        EXPECT_EQ(answer->info.attempts, 2u);
        EXPECT_EQ(told(on.run(on.adapter->head(key))), "ok");
        EXPECT_EQ(on.server.wire().requests(), 3);
    }
}

TEST_P(outcome, a_body_that_is_cut_short_is_no_data)
{
    for (auto const& what : {test::cut_after(300), test::stall_after(300)}) {
        rig on(GetParam(), what);
        on.server.put("key", std::string(100'000, 'x'));
        on.server.next({what});
        auto const answer = on.run(on.adapter->get(key, get_options()));
        EXPECT_EQ(told(answer), later);
    }
}

TEST_P(outcome, a_range_that_was_not_asked_for_is_no_data)
{
    for (auto const* range : {"bytes 0-3/10", "bytes 2-9/10", "bytes 2-5/*", "2-5", ""}) {
        rig on(GetParam());
        on.server.put("key", "0123456789");
        on.server.next({test::rewrite(
            [range](std::string& wire) { put_field(wire, "Content-Range", std::string("Content-Range: ") + range); })});
        get_options part;
        part.range = byte_range{2, 5};
        EXPECT_EQ(told(on.run(on.adapter->get(key, part))), "protocol") << range;
        auto const whole = on.run(on.adapter->get(key, part));
        ASSERT_EQ(told(whole), "ok");
        EXPECT_EQ(whole->content.view(), "2345");
        EXPECT_EQ(whole->full_size, 10u);
    }
}

TEST_P(outcome, a_whole_object_for_a_range_is_no_data)
{
    rig on(GetParam());
    on.server.put("key", "0123456789");
    on.server.next({test::change([](test::reply& answer) {
        answer.status = 200;
        answer.body = "0123456789";
    })});
    get_options part;
    part.range = byte_range{2, 5};
    EXPECT_EQ(told(on.run(on.adapter->get(key, part))), "protocol");
}

TEST_P(outcome, an_object_over_the_limit_is_refused_before_its_body)
{
    rig on(GetParam());
    on.server.put("key", std::string(1'000'000, 'x'));
    on.server.next({test::stall_after(20'000)});  // More than a record of TLS.
    get_options small;
    small.max_bytes = 999'999;
    EXPECT_EQ(told(on.run(on.adapter->get(key, small))), "limit_exceeded");
}

TEST_P(outcome, a_stale_connection_costs_a_read_nothing_and_leaves_a_write_in_doubt)
{
    for (auto const& what : {test::drop(), test::reset()}) {
        rig on(GetParam());
        on.server.put("key", "content");
        ASSERT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
        on.server.next({what});
        auto const again = on.run(on.adapter->get(key, get_options()));
        EXPECT_EQ(told(again), "ok");
        EXPECT_EQ(again->info.attempts, 2u);

        on.server.next({what});
        auto const removed = on.run(on.adapter->remove(key));
        EXPECT_EQ(told(removed), lost);
        EXPECT_EQ(why(removed).attempts, 1u);
        EXPECT_EQ(on.server.content("key"), "content");
        ASSERT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
        on.server.next({what});
        EXPECT_EQ(told(on.run(on.adapter->put_if_absent(object_key("other"), bytes()))), lost);
        EXPECT_FALSE(on.server.content("other"));
        EXPECT_EQ(on.server.wire().requests(), 6);
    }
}

TEST_P(outcome, nobody_there_is_never_in_doubt)
{
    auto const url = std::string(GetParam().tls ? "https" : "http") + "://127.0.0.1:1";
    rig on(GetParam(), url);
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(key, bytes("ours")))), later);
    EXPECT_EQ(told(on.run(on.adapter->put(key, bytes("ours")))), later);
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), later);
}

TEST_P(outcome, the_wrong_kind_of_server_is_never_in_doubt)
{
    auto other = GetParam();
    other.tls = true;
    test::fault_server const plain(other.speaks);
    http_options impatient;
    impatient.tls_timeout = 60ms;
    rig on(other, "https://127.0.0.1:" + std::to_string(plain.port()), impatient);
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(key, bytes("ours")))), later);
}

TEST_P(outcome, a_store_that_ignores_conditions_is_believed)
{
    rig on(GetParam());
    on.server.put("key", "theirs");
    on.server.next({test::lie()});
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(key, bytes("ours")))), "created");
    EXPECT_EQ(on.server.content("key"), "ours");
}

}  // namespace headwater::faults
