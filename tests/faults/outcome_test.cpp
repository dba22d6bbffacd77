// The outcome table of STORE section 2, each row through a real socket: what one answer, or none, means to a create, an
// update and a read. The adapter alone, without the decorators that try again.
#include "tests/faults/outcome_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::deed;
using test::dialect;

constexpr auto lost = "outcome_unknown";

/// What the outcome table names, answer by answer, and of which of its columns (create, update, read) it says
/// something.
enum service { s3, azure, both };
struct contract_line {
    std::string_view name;
    service of;
    std::string_view columns;
};
constexpr contract_line contract[] = {
    {"2xx", both, "cur"},
    {"304", both, "cr"},
    {"404 NoSuchBucket", s3, "cur"},
    {"404 ContainerNotFound", azure, "cur"},
    {"404 NoSuchKey", s3, "ur"},
    {"404 BlobNotFound", azure, "ur"},
    {"409 ConditionalRequestConflict", s3, "cu"},
    {"409 OperationAborted", s3, "cu"},
    {"409 BlobAlreadyExists", azure, "c"},
    {"412", both, "cur"},
    {"429", both, "cur"},
    {"503 SlowDown", s3, "cur"},
    {"503 ServerBusy", azure, "cur"},
    {"408", both, "cur"},
    {"500", both, "cur"},
    {"502", both, "cur"},
    {"504", both, "cur"},
    {"499", both, "cur"},
    {"a clock that is wrong", both, "cur"},
    {"a clock that is wrong, twice", both, "cur"},
    {"a clock that is wrong, and no date to correct it by", both, "cur"},
    {"400 ExpiredToken", s3, "cur"},
    {"403 ExpiredToken, others at hand", s3, "cur"},
    {"401, others at hand", azure, "cur"},
    {"401", both, "cur"},
    {"403", both, "cur"},
    {"301 to another region", s3, "cur"},
    {"307 to another region", s3, "cur"},
    {"400 AuthorizationHeaderMalformed", s3, "cur"},
    {"nobody listens", both, "cur"},
    {"a TLS handshake that fails", both, "cur"},
    {"an unknown host", both, "cur"},
    {"a reset on a reused connection", both, "cur"},
    {"the end of a reused connection", both, "cur"},
    {"applied, then no answer", both, "cur"},
    {"not applied, no answer", both, "cur"},
    {"applied after the close", both, "cur"},
    {"a reset", both, "cur"},
    {"a cut in the status line", both, "cur"},
    {"a cut in the fields", both, "cur"},
    {"silence", both, "cur"},
    {"an answer after the deadline", both, "cur"},
    {"an answer that is no HTTP", both, "cur"},
    {"more length than body", both, "cur"},
    {"a length that is no number", both, "cur"},
    {"two lengths", both, "cur"},
    {"no length", both, "cur"},
    {"a 100 that nobody asked for", both, "cur"},
    {"a 100 without end", both, "cur"},
};

// A refusal tells which request it was about: what the vendor's support asks for.
template <class T>
void expect_request_id(result<T> const& answer)
{
    auto const about = why(answer);
    EXPECT_TRUE(about.status < 300 || !about.request_id.empty()) << about.status;
}

std::string create(rig& on)
{
    auto const answer = on.run(on.adapter->put_if_absent(key, bytes("ours")));
    auto const word = told(answer);
    expect_request_id(answer);
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
    expect_request_id(answer);
    if (word == "replaced") EXPECT_EQ(on.server.content("key"), "new");
    if (word != "replaced" && word != lost) EXPECT_EQ(on.server.writes("key"), 0);
    return word;
}

std::string read(rig& on)
{
    on.server.put("key", "content");
    auto const answer = on.run(on.adapter->get(key, get_options()));
    if (answer) EXPECT_EQ(answer->content.view(), "content");
    expect_request_id(answer);
    return told(answer);
}

struct outcome : testing::TestWithParam<wire_kind> {
    // Each row on a server of its own: a connection that is new, and no request but this one.
    void expect_rows(std::string row::*column, std::string (*operation)(rig&)) const
    {
        for (auto const& each : rows_of(GetParam().speaks)) {
            if ((each.*column).empty()) continue;
            auto const on = each.before(GetParam(), each.what);
            EXPECT_EQ(operation(*on), each.*column) << each.name;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(wires, outcome, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

}  // namespace

TEST_P(outcome, has_a_row_for_each_answer_that_the_contract_names)
{
    auto const rows = rows_of(GetParam().speaks);
    for (auto const& [name, of, columns] : contract) {
        if (of != both && (of == s3) != (GetParam().speaks == dialect::s3)) continue;
        auto const found = std::ranges::find(rows, name, &row::name);
        if (found == rows.end()) {
            ADD_FAILURE() << "no row drives this answer: " << name;
            continue;
        }
        EXPECT_TRUE(columns.find('c') == columns.npos || !found->create.empty()) << name << ": a create";
        EXPECT_TRUE(columns.find('u') == columns.npos || !found->update.empty()) << name << ": an update";
        EXPECT_TRUE(columns.find('r') == columns.npos || !found->read.empty()) << name << ": a read";
    }
}

TEST_P(outcome, of_a_create) { expect_rows(&row::create, create); }
TEST_P(outcome, of_an_update) { expect_rows(&row::update, update); }
TEST_P(outcome, of_a_read) { expect_rows(&row::read, read); }

TEST_P(outcome, of_a_plain_write_is_none_but_the_stores_own)
{
    auto const page = test::say("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>hi</html>");
    rig on(GetParam());
    on.server.next({page, page});
    EXPECT_EQ(told(on.run(on.adapter->put(key, bytes("new")))), lost);
    EXPECT_EQ(told(on.run(on.adapter->remove(key))), lost);
}

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

TEST_P(outcome, a_404_of_somebody_else_proves_nothing_absent)
{
    rig on(GetParam());
    for (int times = 0; times < 2; ++times) {
        auto of_a_proxy = test::refuse(404, "");
        of_a_proxy.rewrites = [](std::string& wire) {
            put_field(wire, GetParam().speaks == dialect::s3 ? "x-amz-request-id" : "x-ms-request-id", "Via: a proxy");
        };
        on.server.next({of_a_proxy});
        if (times == 0) EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "configuration");
        if (times == 1) EXPECT_EQ(told(on.run(on.adapter->put_if_match(key, bytes(), etag("\"1\"")))), "configuration");
    }
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "not_found");
}

TEST_P(outcome, a_head_that_is_refused_without_a_word_is_signed_with_fresh_credentials)
{
    if (GetParam().speaks != dialect::s3) return;
    rig_settings settings;
    settings.renewable = true;
    rig on(GetParam(), std::move(settings));
    on.server.put("key", "content");
    on.server.next({test::refuse(400, "ExpiredToken")});
    auto const answer = on.run(on.adapter->head(key));
    ASSERT_EQ(told(answer), "ok");
    EXPECT_EQ(answer->info.attempts, 2u);
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

    // Also where it is less than an error document may have.
    on.server.put("key", std::string(1'000, 'x'));
    auto header_alone = test::rewrite([](std::string& all) { all.resize(all.find("\r\n\r\n") + 4); });
    header_alone.then = deed::end::stalls;
    on.server.next({header_alone});
    small.max_bytes = 999;
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

TEST_P(outcome, a_store_that_ignores_conditions_is_believed)
{
    rig on(GetParam());
    on.server.put("key", "theirs");
    on.server.next({test::lie()});
    EXPECT_EQ(told(on.run(on.adapter->put_if_absent(key, bytes("ours")))), "created");
    EXPECT_EQ(on.server.content("key"), "ours");
}

}  // namespace headwater::faults
