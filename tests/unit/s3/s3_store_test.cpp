// The store over a scripted transport: one request a call, the five corrections, and what an answer tells.
#include "adapters/s3/s3_store.hpp"

#include "tests/support/run.hpp"
#include "tests/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace headwater::s3 {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Answers in order, and remembers what it was asked.
struct script {
    std::deque<http::exchange_result> answers;
    std::vector<http::request> sent;
    std::vector<std::string> hosts;

    void add(int status, std::vector<http::field> fields = {}, std::string body = "")
    {
        http::response made;
        made.status = status;
        made.fields = std::move(fields);
        made.body = std::move(body);
        answers.emplace_back(std::move(made));
    }
    void add(http::broken how) { answers.emplace_back(http::exchange_error(how, error(errc::unavailable, "cut off"))); }

    std::string field(std::size_t at, std::string_view name) const
    {
        for (auto const& [label, value] : sent.at(at).fields) {
            if (label == name) return value;
        }
        return "";
    }
};

class scripted_transport final : public http::transport {
public:
    scripted_transport(script& lines, std::string host) : lines_(lines), host_(std::move(host)) {}

    boost::asio::awaitable<http::exchange_result> send(http::request const& what) override
    {
        lines_.sent.push_back(what);
        lines_.hosts.push_back(host_);
        if (lines_.answers.empty()) throw std::logic_error("a request that the test did not expect");
        auto answer = lines_.answers.front();
        lines_.answers.pop_front();
        co_return answer;
    }

private:
    script& lines_;
    std::string host_;
};

class s3_store : public testing::Test {
protected:
    std::unique_ptr<object_store> open(std::string endpoint = "http://127.0.0.1:9000")
    {
        s3_options options;
        options.bucket = "bucket";
        options.prefix = "graph";
        options.endpoint = std::move(endpoint);
        auto make = [this](http::endpoint where) -> std::unique_ptr<http::transport> {
            return std::make_unique<scripted_transport>(lines, where.host);
        };
        return make_store(make, time, options, who).value();
    }

    result<update_answer> update(object_store& store, char const* tag)
    {
        return test::run(store.put_if_match(object_key("k"), bytes("x"), etag(tag)));
    }

    test::virtual_clock time;
    script lines;
    std::shared_ptr<aws_provider> who = fixed_provider(aws_credentials{"AKID", "HUSH", ""});
};

TEST_F(s3_store, each_operation_is_one_signed_request)
{
    auto const store = open();
    lines.add(200, {{"ETag", "\"e\""}}, "hello");
    auto const read = test::run(store->get(object_key("a b"), {}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->info.attempts, 1u);
    ASSERT_EQ(lines.sent.size(), 1u);
    EXPECT_EQ(lines.sent[0].target, "/bucket/graph/a%20b");
    EXPECT_THAT(lines.field(0, "Authorization"), HasSubstr("Credential=AKID/20250915/us-east-1/s3/aws4_request"));
}

TEST_F(s3_store, broken_rule_sends_nothing)
{
    auto const store = open();
    auto const read = test::run(store->get(object_key(""), {}));
    ASSERT_FALSE(read.has_value());
    EXPECT_TRUE(read.error() == errc::invalid_argument);
    EXPECT_TRUE(update(*store, "*").error() == errc::invalid_argument);
    EXPECT_TRUE(update(*store, "").error() == errc::invalid_argument);
    EXPECT_TRUE(lines.sent.empty());
}

TEST_F(s3_store, error_names_call_key_store_and_attempts)
{
    auto const store = open();
    lines.add(403, {}, "<Error><Code>AccessDenied</Code></Error>");
    auto const made = test::run(store->put_if_absent(object_key("k"), bytes("x")));
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().why()->operation, "put_if_absent");
    EXPECT_EQ(made.error().why()->key, "k");
    EXPECT_EQ(made.error().why()->store, "http://127.0.0.1:9000/bucket/graph");
    EXPECT_EQ(made.error().why()->attempts, 1u);
    EXPECT_THAT(made.error().message(), Not(HasSubstr("HUSH")));
}

TEST_F(s3_store, batch_removal_is_one_request_and_tells_of_each_key)
{
    auto const store = open();
    lines.add(200, {},
              "<DeleteResult><Deleted><Key>graph/a</Key></Deleted><Error><Key>graph/b</Key><Code>AccessDenied"
              "</Code></Error></DeleteResult>");
    auto const gone = test::run(store->remove_many({object_key("a"), object_key("b")}));
    ASSERT_TRUE(gone.has_value());
    EXPECT_EQ(gone->info.attempts, 1u);
    ASSERT_EQ(gone->failed.size(), 1u);
    EXPECT_EQ(gone->failed.front().key, object_key("b"));
    EXPECT_EQ(gone->failed.front().why.why()->operation, "remove_many");
    EXPECT_EQ(gone->failed.front().why.why()->key, "b");
    EXPECT_EQ(lines.sent.at(0).target, "/bucket?delete=");
    EXPECT_THAT(lines.field(0, "Authorization"), HasSubstr("content-md5;content-type;host;"));
}

TEST_F(s3_store, batch_removal_of_what_xml_cannot_carry_is_key_by_key)
{
    auto const store = open();
    lines.add(204);
    lines.add(200, {}, "<DeleteResult><Deleted><Key>graph/a</Key></Deleted></DeleteResult>");
    auto const gone = test::run(store->remove_many({object_key("\x01"), object_key("a")}));
    ASSERT_TRUE(gone.has_value());
    EXPECT_TRUE(gone->failed.empty());
    EXPECT_EQ(gone->info.attempts, 2u);
    EXPECT_EQ(lines.sent.at(0).method, "DELETE");
}

TEST_F(s3_store, batch_removal_that_breaks_a_rule_sends_nothing)
{
    auto const store = open();
    EXPECT_TRUE(test::run(store->remove_many({})).has_value());
    EXPECT_EQ(test::run(store->remove_many({object_key("a"), object_key("")})).error(), errc::invalid_argument);
    std::vector<object_key> many(max_remove_keys + 1, object_key("k"));
    EXPECT_EQ(test::run(store->remove_many(many)).error(), errc::invalid_argument);
    EXPECT_TRUE(lines.sent.empty());
}

TEST_F(s3_store, stale_connection_is_replaced_once_on_a_read)
{
    auto const store = open();
    lines.add(http::broken::stale);
    lines.add(200, {{"ETag", "\"e\""}}, "hello");
    auto const read = test::run(store->get(object_key("k"), {}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->info.attempts, 2u);

    lines.add(http::broken::stale);
    lines.add(http::broken::stale);
    EXPECT_TRUE(test::run(store->get(object_key("k"), {})).error() == errc::unavailable);
}

TEST_F(s3_store, stale_connection_on_a_write_is_not_sent_again)
{
    auto const store = open();
    lines.add(http::broken::stale);
    auto const made = test::run(store->put_if_absent(object_key("k"), bytes("x")));
    EXPECT_TRUE(made.error() == errc::outcome_unknown);
    EXPECT_EQ(lines.sent.size(), 1u);
}

TEST_F(s3_store, region_is_corrected_once_and_remembered)
{
    auto const store = open("");
    lines.add(301, {{"x-amz-bucket-region", "eu-west-1"}});
    lines.add(200, {{"ETag", "\"e\""}}, "hello");
    lines.add(200, {{"ETag", "\"e\""}}, "hello");
    auto const read = test::run(store->get(object_key("k"), {}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->info.attempts, 2u);
    ASSERT_TRUE(test::run(store->get(object_key("k"), {})).has_value());
    EXPECT_THAT(lines.hosts,
                testing::ElementsAre("bucket.s3.us-east-1.amazonaws.com", "bucket.s3.eu-west-1.amazonaws.com",
                                     "bucket.s3.eu-west-1.amazonaws.com"));
    EXPECT_THAT(lines.field(2, "Authorization"), HasSubstr("/eu-west-1/s3/"));
    EXPECT_EQ(store->address(), "https://bucket.s3.us-east-1.amazonaws.com/graph") << "what is remembered goes by it";
}

TEST_F(s3_store, region_that_moves_again_is_a_configuration_error)
{
    auto const store = open();
    lines.add(301, {{"x-amz-bucket-region", "eu-west-1"}});
    lines.add(301, {{"x-amz-bucket-region", "eu-west-2"}});
    auto const read = test::run(store->get(object_key("k"), {}));
    EXPECT_TRUE(read.error() == errc::configuration);
    EXPECT_EQ(lines.hosts.back(), "127.0.0.1") << "another's endpoint does not follow the region";
}

TEST_F(s3_store, clock_is_corrected_once_and_remembered)
{
    auto const store = open();
    auto const skewed = [&] {
        lines.add(403, {{"Date", "Mon, 15 Sep 2025 05:00:00 GMT"}}, "<Error><Code>RequestTimeTooSkewed</Code></Error>");
    };
    skewed();
    lines.add(200, {{"ETag", "\"e\""}});
    auto const made = test::run(store->put_if_absent(object_key("k"), bytes("x")));
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->info.attempts, 2u);
    EXPECT_EQ(lines.field(0, "x-amz-date"), "20250915T013320Z");
    EXPECT_EQ(lines.field(1, "x-amz-date"), "20250915T050000Z");

    lines.add(200, {{"ETag", "\"e\""}});
    EXPECT_TRUE(test::run(store->put(object_key("k"), bytes("x"))).has_value());
    EXPECT_EQ(lines.field(2, "x-amz-date"), "20250915T050000Z");
}

/// Other keys after each refusal.
class rotating_keys final : public aws_provider {
public:
    task<std::shared_ptr<aws_credentials const>> current() override
    {
        if (!held_) {
            held_ = std::make_shared<aws_credentials const>(
                aws_credentials{"AKID" + std::to_string(++number_), "HUSH", ""});
        }
        co_return held_;
    }
    bool refused(std::shared_ptr<aws_credentials const> const& these) override
    {
        if (held_ == these) held_.reset();
        return true;
    }

private:
    std::shared_ptr<aws_credentials const> held_;
    int number_ = 0;
};

TEST_F(s3_store, ended_credentials_are_replaced_once)
{
    who = std::make_shared<rotating_keys>();
    auto const store = open();
    lines.add(400, {}, "<Error><Code>ExpiredToken</Code></Error>");
    lines.add(200, {{"ETag", "\"e\""}});
    auto const made = test::run(store->put_if_absent(object_key("k"), bytes("x")));
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->info.attempts, 2u);
    EXPECT_THAT(lines.field(0, "Authorization"), HasSubstr("Credential=AKID1/"));
    EXPECT_THAT(lines.field(1, "Authorization"), HasSubstr("Credential=AKID2/"));

    lines.add(403, {}, "<Error><Code>ExpiredToken</Code></Error>");
    lines.add(403, {}, "<Error><Code>ExpiredToken</Code></Error>");
    EXPECT_TRUE(test::run(store->get(object_key("k"), {})).error() == errc::access_denied);
    EXPECT_EQ(lines.sent.size(), 4u);
}

TEST_F(s3_store, fixed_credentials_that_ended_are_not_tried_again)
{
    auto const store = open();
    lines.add(400, {}, "<Error><Code>ExpiredToken</Code></Error>");
    EXPECT_TRUE(test::run(store->get(object_key("k"), {})).error() == errc::access_denied);
    EXPECT_EQ(lines.sent.size(), 1u);
}

TEST_F(s3_store, quoted_etag_that_works_settles_its_form)
{
    auto const store = open();
    lines.add(200, {{"ETag", "\"2\""}});
    lines.add(412);
    ASSERT_TRUE(update(*store, "\"1\"").has_value());
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::precondition_failed);
    EXPECT_EQ(lines.sent.size(), 2u) << "once the form is known a refusal is final";
    EXPECT_EQ(lines.field(1, "If-Match"), "\"1\"");
}

TEST_F(s3_store, bare_etag_is_tried_where_the_current_one_was_refused_and_remembered)
{
    auto const store = open();
    lines.add(412);
    lines.add(200, {{"ETag", "\"1\""}, {"Content-Length", "1"}});
    lines.add(200, {{"ETag", "\"2\""}});
    auto const made = update(*store, "\"1\"");
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->info.attempts, 3u);
    EXPECT_EQ(lines.sent[1].method, "HEAD");
    EXPECT_EQ(lines.field(2, "If-Match"), "1");

    lines.add(412);
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::precondition_failed);
    EXPECT_EQ(lines.field(3, "If-Match"), "1");
    EXPECT_EQ(lines.sent.size(), 4u);
}

TEST_F(s3_store, wrong_etag_is_never_sent_bare)
{
    auto const store = open();
    lines.add(412);
    lines.add(200, {{"ETag", "\"other\""}, {"Content-Length", "1"}});
    auto const changed = update(*store, "\"1\"");
    EXPECT_TRUE(changed.error() == errc::precondition_failed);
    EXPECT_EQ(changed.error().why()->attempts, 2u);

    lines.add(412);
    lines.add(404);
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::precondition_failed) << "the object is gone";

    lines.add(412);
    lines.add(503);
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::unavailable) << "nothing was written, nothing is known";

    lines.add(404, {}, "<Error><Code>NoSuchKey</Code></Error>");
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::precondition_failed);
    EXPECT_EQ(lines.sent.size(), 7u);
    for (std::size_t at = 0; at < lines.sent.size(); ++at) EXPECT_NE(lines.field(at, "If-Match"), "1") << at;
}

TEST_F(s3_store, ambiguous_bare_update_is_unknown)
{
    auto const store = open();
    lines.add(412);
    lines.add(200, {{"ETag", "\"1\""}, {"Content-Length", "1"}});
    lines.add(http::broken::ambiguous);
    EXPECT_TRUE(update(*store, "\"1\"").error() == errc::outcome_unknown);
}

TEST_F(s3_store, refused_body_names_max_bytes)
{
    auto const store = open();
    lines.answers.emplace_back(http::exchange_error(http::broken::refused, error(errc::limit_exceeded, "max_body")));
    get_options options;
    options.max_bytes = 100'000;
    auto const read = test::run(store->get(object_key("k"), options));
    EXPECT_TRUE(read.error() == errc::limit_exceeded);
    EXPECT_THAT(read.error().message(), HasSubstr("max_bytes (100000)"));
}

TEST_F(s3_store, listing_follows_pages_and_names_keys_below_the_prefix)
{
    auto const store = open();
    lines.add(200, {},
              "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t+1</NextContinuationToken>"
              "<Contents><Key>graph/a</Key><Size>1</Size></Contents></ListBucketResult>");
    auto const page = test::run(store->list("", {}));
    ASSERT_TRUE(page.has_value()) << page.error().message();
    EXPECT_EQ(page->objects.at(0).key.text(), "a");

    lines.add(200, {}, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
    list_options next;
    next.continuation = *page->next;
    ASSERT_TRUE(test::run(store->list("", next)).has_value());
    EXPECT_THAT(lines.sent[1].target, HasSubstr("continuation-token=t%2B1&"));
}

TEST_F(s3_store, order_of_listings_is_believed_until_a_page_shows_otherwise)
{
    auto const page = [](std::string const& keys) {
        std::string rows;
        for (char const key : keys) {
            rows += "<Contents><Key>graph/" + std::string(1, key) + "</Key><Size>1</Size></Contents>";
        }
        return "<ListBucketResult><IsTruncated>false</IsTruncated>" + rows + "</ListBucketResult>";
    };
    auto const store = open();
    list_options after;
    after.start_after = "a";
    lines.add(200, {}, page("bc"));
    ASSERT_TRUE(test::run(store->list("", after)).has_value());
    EXPECT_TRUE(store->capabilities().ordered_listing);
    EXPECT_THAT(lines.sent.back().target, HasSubstr("start-after"));
    lines.add(200, {}, page("cb"));
    ASSERT_TRUE(test::run(store->list("", {})).has_value());
    EXPECT_FALSE(store->capabilities().ordered_listing);

    lines.add(200, {}, page("cab"));
    auto const rest = test::run(store->list("", after));
    ASSERT_TRUE(rest.has_value());
    EXPECT_EQ(rest->objects.size(), 2u) << "start_after is exclusive on every store";
    EXPECT_THAT(lines.sent.back().target, Not(HasSubstr("start-after")));
}

TEST_F(s3_store, listings_are_in_no_order_by_option_and_in_directory_buckets)
{
    auto make = [](http::endpoint) { return std::unique_ptr<http::transport>(); };
    for (bool const ordered : {true, false}) {
        for (char const* const bucket : {"bucket", "bucket--use1-az4--x-s3"}) {
            s3_options options;
            options.bucket = bucket;
            options.ordered_listing = ordered;
            auto const store = make_store(make, time, options, who).value();
            EXPECT_EQ(store->capabilities().ordered_listing, ordered && options.bucket == "bucket") << bucket;
        }
    }
}

TEST_F(s3_store, exception_of_the_transport_passes_and_the_store_lives_on)
{
    auto const store = open();
    EXPECT_THROW((void)test::run(store->get(object_key("k"), {})), std::logic_error);
    lines.add(200, {{"ETag", "\"e\""}}, "hello");
    EXPECT_TRUE(test::run(store->get(object_key("k"), {})).has_value());
}

TEST_F(s3_store, credentials_must_be_there)
{
    auto make = [](http::endpoint) { return std::unique_ptr<http::transport>(); };
    s3_options options;
    options.bucket = "b";
    auto const store = make_store(make, time, options, {});
    ASSERT_FALSE(store.has_value());
    EXPECT_TRUE(store.error() == errc::configuration);
}

}  // namespace
}  // namespace headwater::s3
