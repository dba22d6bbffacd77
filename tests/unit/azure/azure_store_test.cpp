// The store over a scripted transport: what is sent, how often, and how its answers arrive.
#include "adapters/azure/azure_store.hpp"
#include "tests/support/virtual_clock.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gmock/gmock.h>

#include <deque>

namespace headwater::azure {

namespace {

using headwater::test::run;
using headwater::test::virtual_clock;
using test::answer;
using test::at;
using test::on_azure;
using test::refused;

/// Answers from a script and keeps what was sent.
class scripted final : public http::transport {
public:
    scripted(std::deque<http::exchange_result>& answers, std::vector<http::request>& sent)
        : answers_(answers), sent_(sent)
    {
    }

    boost::asio::awaitable<http::exchange_result> send(http::request const& what) override
    {
        sent_.push_back(what);
        if (answers_.empty()) throw std::logic_error("the script is over");
        auto next = std::move(answers_.front());
        answers_.pop_front();
        co_return next;
    }

private:
    std::deque<http::exchange_result>& answers_;
    std::vector<http::request>& sent_;
};

class azure_store_test : public testing::Test {
protected:
    std::unique_ptr<object_store> store(azure_credentials const& given) { return store(fixed_provider(given)); }
    std::unique_ptr<object_store> store(std::shared_ptr<azure_provider> who)
    {
        return make_store(std::make_unique<scripted>(answers, sent), time, on_azure(), std::move(who));
    }
    std::unique_ptr<object_store> with_key()
    {
        azure_credentials given;
        given.account_key = "c2VjcmV0";
        return store(given);
    }

    static std::string date_of(http::request const& what)
    {
        for (auto const& [name, value] : what.fields) {
            if (name == "x-ms-date") return value;
        }
        return {};
    }

    virtual_clock time{at("Mon, 30 Nov 2026 00:00:00 GMT")};
    std::deque<http::exchange_result> answers;
    std::vector<http::request> sent;
    object_key const key{"main/1"};
    http::exchange_result const stale = http::exchange_error(http::broken::stale, error(errc::unavailable));
    http::response const skewed =
        answer(403, {{"x-ms-error-code", "AuthenticationFailed"}, {"Date", "Mon, 30 Nov 2026 01:00:00 GMT"}});
};

/// Tokens in their order; a refusal moves on to the next.
class token_provider final : public azure_provider {
public:
    explicit token_provider(std::vector<char const*> tokens)
    {
        for (auto const* each : tokens) {
            azure_credentials made;
            made.bearer_token = each;
            left_.push_back(std::make_shared<azure_credentials const>(std::move(made)));
        }
    }

    task<std::shared_ptr<azure_credentials const>> current() override
    {
        if (left_.empty()) co_return error(errc::access_denied, "no token is left");
        co_return left_.front();
    }
    bool refused(std::shared_ptr<azure_credentials const> const& these) override
    {
        if (!left_.empty() && left_.front() == these) left_.pop_front();
        return true;
    }

private:
    std::deque<std::shared_ptr<azure_credentials const>> left_;
};

TEST_F(azure_store_test, ended_token_is_replaced_once)
{
    auto const one = store(std::make_shared<token_provider>(std::vector{"first", "second", "third"}));
    answers = {answer(401, {{"x-ms-error-code", "InvalidAuthenticationInfo"}}),
               answer(201, {{"ETag", "\"1\""}, {"Date", "Mon, 30 Nov 2026 00:00:00 GMT"}})};
    ASSERT_TRUE(run(one->put_if_absent(key, bytes("x"))).has_value());
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_THAT(sent[0].fields, testing::Contains(http::field("authorization", "Bearer first")));
    EXPECT_THAT(sent[1].fields, testing::Contains(http::field("authorization", "Bearer second")));
    answers = {answer(401), answer(401)};
    EXPECT_EQ(run(one->put_if_absent(key, bytes("x"))).error(), errc::access_denied);
    EXPECT_EQ(sent.size(), 4u);
}

TEST_F(azure_store_test, without_credentials_nothing_is_sent_and_the_call_is_named)
{
    auto const one = store(std::make_shared<token_provider>(std::vector<char const*>()));
    auto const made = run(one->put_if_absent(key, bytes("x")));
    EXPECT_EQ(made.error(), errc::access_denied);
    EXPECT_EQ(made.error().why()->key, "main/1");
    EXPECT_TRUE(sent.empty());
}

TEST_F(azure_store_test, key_that_is_refused_is_not_asked_for_again)
{
    answers = {answer(401)};
    EXPECT_EQ(run(with_key()->get(key, {})).error(), errc::access_denied);
    EXPECT_EQ(sent.size(), 1u);
}

TEST_F(azure_store_test, each_operation_is_one_request)
{
    auto const azure = with_key();
    answers = {answer(200, {{"etag", "\"1\""}}, "x"),
               answer(200, {{"etag", "\"1\""}, {"content-length", "1"}}),
               answer(201),
               answer(201),
               answer(201),
               answer(200, {}, "<EnumerationResults><Blobs/></EnumerationResults>"),
               answer(202)};
    etag const tag("\"1\"");
    bytes const content("x");
    EXPECT_TRUE(run(azure->get(key, {})));
    EXPECT_TRUE(run(azure->head(key)));
    EXPECT_TRUE(run(azure->put(key, content)));
    EXPECT_TRUE(run(azure->put_if_absent(key, content)));
    EXPECT_TRUE(run(azure->put_if_match(key, content, tag)));
    EXPECT_TRUE(run(azure->list("", {})));
    EXPECT_TRUE(run(azure->remove(key)));
    EXPECT_EQ(sent.size(), 7);
    for (auto const& one : sent) EXPECT_EQ(date_of(one), "Mon, 30 Nov 2026 00:00:00 GMT");
}

TEST_F(azure_store_test, stale_connection_costs_a_read_one_more_attempt)
{
    answers = {stale, answer(200, {{"etag", "\"1\""}}, "x")};
    auto const read = run(with_key()->get(key, {}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->info.attempts, 2);
    EXPECT_EQ(sent.size(), 2);
}

TEST_F(azure_store_test, stale_connection_leaves_a_write_unknown)
{
    answers = {stale};
    auto const made = run(with_key()->put_if_absent(key, bytes("x")));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error(), errc::outcome_unknown);
    EXPECT_EQ(sent.size(), 1);
}

TEST_F(azure_store_test, skewed_clock_is_corrected_once_and_remembered)
{
    auto const azure = with_key();
    answers = {skewed, answer(201), answer(201)};
    auto const made = run(azure->put_if_absent(key, bytes("x")));
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->created);
    EXPECT_EQ(made->info.attempts, 2);
    EXPECT_EQ(date_of(sent[1]), "Mon, 30 Nov 2026 01:00:00 GMT");
    EXPECT_TRUE(run(azure->put(key, bytes("x"))));
    EXPECT_EQ(date_of(sent[2]), "Mon, 30 Nov 2026 01:00:00 GMT");
}

TEST_F(azure_store_test, wrong_key_is_denied_after_one_correction)
{
    answers = {skewed, skewed};
    auto const read = run(with_key()->head(key));
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(read.error(), errc::access_denied);
    EXPECT_EQ(read.error().why()->attempts, 2);
}

TEST_F(azure_store_test, bad_argument_sends_nothing)
{
    auto const read = run(with_key()->get(object_key("a\\b"), {}));
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(read.error(), errc::invalid_argument);
    EXPECT_EQ(read.error().why()->operation, "get");
    EXPECT_TRUE(sent.empty());
}

TEST_F(azure_store_test, sas_token_is_sent_and_never_told)
{
    azure_credentials given;
    given.sas_token = "sv=2021-12-02&sig=hidden";
    auto const azure = store(given);
    answers = {refused(403, "AuthenticationFailed")};
    auto const read = run(azure->head(key));
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(sent[0].target, "/log/graph/main/1?sv=2021-12-02&sig=hidden");
    EXPECT_THAT(read.error().message() + azure->address(), testing::Not(testing::HasSubstr("hidden")));
}

TEST_F(azure_store_test, unordered_page_takes_the_promise_of_order_back)
{
    auto const azure = with_key();
    auto const row = [](char const* name) {
        return "<Blob><Name>graph/" + std::string(name)
               + "</Name><Properties><Content-Length>0</Content-Length></Properties></Blob>";
    };
    EXPECT_TRUE(azure->capabilities().ordered_listing);
    answers = {
        answer(200, {}, "<EnumerationResults><Blobs>" + row("a/b") + row("a-b") + "</Blobs></EnumerationResults>")};
    EXPECT_TRUE(run(azure->list("", {})));
    EXPECT_FALSE(azure->capabilities().ordered_listing);
}

}  // namespace

}  // namespace headwater::azure
