// A schema's content is in the archive before the record that names it, and is what it says.
#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/log/schema_archive.hpp"
#include "tests/unit/log/small_graph.hpp"

#include <headwater/stores.hpp>

#include <gtest/gtest.h>

namespace headwater::test {
namespace {

std::string const content = "OGSC0001 a contract";

schema_identity a_schema(std::string hash)
{
    schema_identity out;
    out.identity_domain = "domain";
    out.ir_hash = "sha256:ir";
    out.identity_version = 1;
    out.content_hash = std::move(hash);
    return out;
}

std::string digest() { return to_hex(sha256(content)); }

intent with_schema(snapshot const& now)
{
    auto wanted = *small_graph::wish(now);
    wanted.schema = a_schema("sha256:" + digest());
    wanted.schema_content = bytes(content);
    return wanted;
}

TEST(schema_content, must_be_what_the_schema_names)
{
    EXPECT_EQ(*check_schema_content(a_schema(digest()), bytes(content)), digest());
    EXPECT_EQ(*check_schema_content(a_schema("sha256:" + digest()), bytes(content)), digest());
    for (auto const& wrong : {std::string(), std::string("sha256:"), "sha512:" + digest(), digest() + 'a'}) {
        EXPECT_TRUE(check_schema_content(a_schema(wrong), bytes(content)).error() == errc::invalid_argument) << wrong;
    }
    EXPECT_TRUE(check_schema_content({}, bytes(content)).error() == errc::invalid_argument);
    bytes const huge(std::string(max_schema_bytes + 1, 'x'));
    EXPECT_TRUE(check_schema_content(a_schema(digest()), huge).error() == errc::limit_exceeded);
}

TEST(schema_archive, content_is_created_before_the_record_and_once)
{
    small_graph graph;
    graph.grow(3);
    std::vector<std::string> creates;
    auto const watch = [&](store_call const& call) {
        if (call.operation == "put_if_absent") creates.emplace_back(call.key);
        return fault::none;
    };
    auto const watched = make_faulty_store(*graph.store, graph.time, watch, std::chrono::seconds(1));
    publisher writer(*watched, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish([](snapshot const& now) -> result<intent> { return with_schema(now); }));
    std::vector<std::string> const expected = {layout::schema(digest()).text(), graph.record_at(4).text()};
    EXPECT_EQ(creates, expected);
    EXPECT_EQ(graph.get(layout::schema(digest())).view(), content);
    EXPECT_EQ(graph.read().schema(), a_schema("sha256:" + digest()));
    creates.clear();
    (void)graph.must(writer.publish([](snapshot const& now) -> result<intent> { return with_schema(now); }));
    EXPECT_EQ(creates.size(), 1u) << "the handle has archived it";
}

publisher::plan naming_it()
{
    return [](snapshot const& now) -> result<intent> { return with_schema(now); };
}

publisher::plan naming_another()
{
    return [](snapshot const& now) -> result<intent> {
        auto wanted = *small_graph::wish(now);
        wanted.schema = a_schema("sha256:" + to_hex(sha256("another")));
        wanted.schema_content = bytes("another");
        return wanted;
    };
}

// Between two commits that name it nothing did, and a cleanup has taken it.
TEST(schema_archive, schema_that_is_named_again_is_archived_again)
{
    small_graph graph;
    graph.grow(3);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    publisher other(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish(naming_it()));
    (void)graph.must(other.publish(naming_another()));
    graph.time.pass(std::chrono::hours(3));
    graph.remove(layout::schema(digest()));
    (void)graph.must(writer.publish(naming_it()));
    EXPECT_EQ(graph.get(layout::schema(digest())).view(), content);
}

// An old archive that nothing names may go at any moment, until a commit names it.
TEST(schema_archive, archive_that_goes_before_the_commit_is_created_again)
{
    small_graph graph;
    graph.grow(3);
    graph.put(layout::schema(digest()), content);
    std::vector<std::string> creates;
    auto const sweep = [&](store_call const& call) {
        if (call.operation == "put_if_absent") creates.emplace_back(call.key);
        bool const commits = call.operation == "put_if_absent" && call.key == graph.record_at(4).text();
        if (commits) graph.remove(layout::schema(digest()));
        return fault::none;
    };
    auto const raced = make_faulty_store(*graph.store, graph.time, sweep, std::chrono::seconds(1));
    publisher writer(*raced, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish(naming_it()));
    std::string const archive = layout::schema(digest()).text();
    EXPECT_EQ(creates, (std::vector<std::string>{archive, graph.record_at(4).text(), archive}));
    EXPECT_EQ(graph.get(layout::schema(digest())).view(), content);
    creates.clear();
    (void)graph.must(writer.publish(naming_it()));
    EXPECT_EQ(creates.size(), 1u) << "from its commit on it stays";
}

TEST(schema_archive, archive_that_the_newest_commit_names_is_made_sure_of_once)
{
    small_graph graph;
    graph.grow(3);
    publisher first(*graph.store, "main", graph.time, *graph.chance);
    (void)graph.must(first.publish(naming_it()));
    std::vector<std::string> creates;
    auto const watch = [&](store_call const& call) {
        if (call.operation == "put_if_absent") creates.emplace_back(call.key);
        return fault::none;
    };
    auto const watched = make_faulty_store(*graph.store, graph.time, watch, std::chrono::seconds(1));
    publisher writer(*watched, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish(naming_it()));
    EXPECT_EQ(creates, (std::vector<std::string>{layout::schema(digest()).text(), graph.record_at(5).text()}));
}

TEST(schema_archive, writer_that_sleeps_before_its_commit_creates_it_again)
{
    small_graph graph;
    graph.grow(3);
    auto const sleep = [&](store_call const& call) {
        if (call.operation == "put_if_absent" && call.key == graph.record_at(4).text()) {
            graph.time.pass(std::chrono::hours(2));
            graph.remove(layout::schema(digest()));
        }
        return fault::none;
    };
    auto const slow = make_faulty_store(*graph.store, graph.time, sleep, std::chrono::seconds(1));
    publisher writer(*slow, "main", graph.time, *graph.chance);
    (void)graph.must(writer.publish(naming_it()));
    EXPECT_EQ(graph.get(layout::schema(digest())).view(), content);
}

TEST(schema_archive, what_could_not_be_made_sure_of_is_the_upkeeps)
{
    small_graph graph;
    graph.grow(3);
    graph.put(layout::schema(digest()), content);
    int creates = 0;
    auto const refuse = [&](store_call const& call) {
        bool const archives = call.operation == "put_if_absent" && call.key.starts_with("__history/");
        if (archives && ++creates == 2) graph.remove(layout::schema(digest()));
        return archives && (creates == 2 || creates == 3) ? fault::refused : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, refuse, std::chrono::seconds(1));
    publisher writer(*faulty, "main", graph.time, *graph.chance);
    EXPECT_EQ(graph.must(writer.publish(naming_it())).at.seq, sequence(4));
    EXPECT_TRUE(graph.must_fail(writer.upkeep()) == errc::access_denied);
    (void)graph.must(writer.upkeep());
    EXPECT_EQ(graph.get(layout::schema(digest())).view(), content);
    EXPECT_EQ(graph.get(graph.hint_key()).view(), R"({"seq":4,"checkpoint":0})");
}

TEST(schema_archive, content_that_is_no_ones_writes_nothing)
{
    small_graph graph;
    graph.grow(3);
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const wrong = [](snapshot const& now) -> result<intent> {
        auto wanted = with_schema(now);
        wanted.schema_content = bytes("another");
        return wanted;
    };
    EXPECT_TRUE(graph.must_fail(writer.publish(wrong)) == errc::invalid_argument);
    EXPECT_EQ(graph.read().seq(), sequence(3));
}

TEST(schema_archive, archive_with_other_bytes_stops_the_commit)
{
    small_graph graph;
    graph.grow(3);
    graph.put(layout::schema(digest()), "torn");
    publisher writer(*graph.store, "main", graph.time, *graph.chance);
    auto const why =
        graph.must_fail(writer.publish([](snapshot const& now) -> result<intent> { return with_schema(now); }));
    EXPECT_TRUE(why == errc::corrupt) << why.message();
    EXPECT_EQ(graph.read().seq(), sequence(3));
}

TEST(schema_archive, refused_archive_leaves_no_record)
{
    small_graph graph;
    graph.grow(3);
    auto const refuse = [](store_call const& call) {
        return call.key.starts_with("__history/") ? fault::refused : fault::none;
    };
    auto const faulty = make_faulty_store(*graph.store, graph.time, refuse, std::chrono::seconds(1));
    publisher writer(*faulty, "main", graph.time, *graph.chance);
    EXPECT_TRUE(graph.must_fail(writer.publish([](snapshot const& now) -> result<intent> { return with_schema(now); }))
                == errc::access_denied);
    EXPECT_EQ(graph.read().seq(), sequence(3));
}

}  // namespace
}  // namespace headwater::test
