// What answers mean: the table of STORE section 2 row by row, and the reader of each operation.
#include "adapters/s3/s3_response.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::s3 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

http::response answer(int status, std::string body = "", std::vector<http::field> fields = {})
{
    http::response made;
    made.status = status;
    made.body = std::move(body);
    made.fields = std::move(fields);
    return made;
}

std::string error_document(std::string const& code, std::string const& rest = "")
{
    return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>why</Message>" + rest + "</Error>";
}

std::string_view name_of(error const& failed) { return to_string(static_cast<errc>(failed.code().value())); }

struct meaning_case {
    int status;
    char const* code;  ///< "": no body; "html": a body that is not the service's.
    char const* read;
    char const* create;
    char const* update;
    char const* remove;
};

class meaning_table : public testing::TestWithParam<meaning_case> {};

TEST_P(meaning_table, answer_means_what_the_contract_says)
{
    auto const& row = GetParam();
    std::string const code = row.code;
    std::string const body = code.empty() ? "" : code == "html" ? "<html>" : error_document(code);
    auto const of = [&](call what) { return name_of(to_error(what, answer(row.status, body))); };
    EXPECT_EQ(of(call::read), row.read) << row.status << ' ' << code;
    EXPECT_EQ(of(call::head), row.status == 404 && code.empty() ? "not_found" : row.read) << row.status << ' ' << code;
    EXPECT_EQ(of(call::create), row.create) << row.status << ' ' << code;
    EXPECT_EQ(of(call::update), row.update) << row.status << ' ' << code;
    EXPECT_EQ(of(call::remove), row.remove) << row.status << ' ' << code;
}

constexpr char const *absent = "not_found", *config = "configuration", *lost = "precondition_failed",
                     *taken = "already_exists", *again = "unavailable", *unknown = "outcome_unknown",
                     *denied = "access_denied", *limit = "limit_exceeded";

INSTANTIATE_TEST_SUITE_P(
    answers, meaning_table,
    testing::Values(meaning_case{304, "", "not_modified", taken, unknown, unknown},
                    meaning_case{404, "NoSuchKey", absent, absent, lost, absent},
                    meaning_case{404, "NoSuchBucket", config, config, config, config},
                    meaning_case{404, "", config, config, config, config},
                    meaning_case{404, "html", config, config, config, config},
                    meaning_case{409, "ConditionalRequestConflict", again, again, again, again},
                    meaning_case{409, "OperationAborted", again, again, again, again},
                    meaning_case{409, "", again, unknown, unknown, unknown},
                    meaning_case{409, "SomethingNew", again, unknown, unknown, unknown},
                    meaning_case{412, "PreconditionFailed", lost, taken, lost, lost},
                    meaning_case{412, "", lost, taken, lost, lost},
                    meaning_case{413, "", "protocol", limit, limit, limit},
                    meaning_case{413, "EntityTooLarge", "protocol", limit, limit, limit},
                    meaning_case{403, "QuotaExceeded", denied, limit, limit, limit},
                    meaning_case{429, "TooManyRequests", again, unknown, unknown, unknown},
                    meaning_case{429, "", again, unknown, unknown, unknown},
                    meaning_case{503, "SlowDown", again, unknown, unknown, unknown},
                    meaning_case{503, "html", again, unknown, unknown, unknown},
                    meaning_case{500, "InternalError", again, unknown, unknown, unknown},
                    meaning_case{502, "", again, unknown, unknown, unknown},
                    meaning_case{504, "", again, unknown, unknown, unknown},
                    meaning_case{408, "", again, unknown, unknown, unknown},
                    meaning_case{499, "", again, unknown, unknown, unknown},
                    meaning_case{400, "RequestTimeout", again, unknown, unknown, unknown},
                    meaning_case{401, "", denied, denied, denied, denied},
                    meaning_case{403, "", denied, denied, denied, denied},
                    meaning_case{403, "AccessDenied", denied, denied, denied, denied},
                    meaning_case{403, "InvalidAccessKeyId", denied, denied, denied, denied},
                    meaning_case{403, "RequestTimeTooSkewed", config, config, config, config},
                    meaning_case{301, "PermanentRedirect", config, config, config, config},
                    meaning_case{307, "", config, config, config, config},
                    meaning_case{400, "AuthorizationHeaderMalformed", config, config, config, config},
                    meaning_case{416, "InvalidRange", "invalid_argument", "invalid_argument", "invalid_argument",
                                 "invalid_argument"},
                    meaning_case{501, "NotImplemented", "unsupported", "unsupported", "unsupported", "unsupported"},
                    meaning_case{200, "InternalError", again, unknown, unknown, unknown},
                    meaning_case{100, "", "protocol", unknown, unknown, unknown}));

TEST(s3_response, absence_without_a_code_is_believed_only_from_the_store_itself)
{
    std::vector<http::field> const ours = {{"x-amz-request-id", "R1"}};
    EXPECT_EQ(to_error(call::read, answer(404, "", ours)), errc::not_found);
    EXPECT_EQ(to_error(call::update, answer(404, "", ours)), errc::precondition_failed);
    EXPECT_EQ(to_error(call::create, answer(404, "", ours)), errc::configuration);
    EXPECT_EQ(to_error(call::read, answer(404, "<html>", ours)), errc::configuration);
    EXPECT_EQ(to_error(call::head, answer(404)), errc::not_found);
}

TEST(s3_response, error_tells_what_the_answer_told)
{
    auto const failed =
        to_error(call::read,
                 answer(503, error_document("SlowDown"),
                        {{"x-amz-request-id", "R1"}, {"Retry-After", "7"}, {"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
    ASSERT_NE(failed.why(), nullptr);
    EXPECT_EQ(failed.why()->service_code, "SlowDown");
    EXPECT_EQ(failed.why()->detail, "why");
    EXPECT_EQ(failed.why()->request_id, "R1");
    EXPECT_EQ(failed.why()->status, 503);
    EXPECT_EQ(failed.why()->retry_after, std::chrono::seconds(7));
    EXPECT_TRUE(failed.why()->date.has_value());
}

TEST(s3_response, error_without_a_message_says_what_to_look_at)
{
    auto const detail = [](int status, std::string body, std::vector<http::field> fields = {}) {
        return to_error(call::read, answer(status, std::move(body), std::move(fields))).why()->detail;
    };
    EXPECT_THAT(detail(404, "<Error><Code>NoSuchBucket</Code></Error>"), HasSubstr("no such bucket"));
    EXPECT_THAT(detail(301, "", {{"x-amz-bucket-region", "eu-west-1"}}), HasSubstr("eu-west-1"));
    EXPECT_THAT(detail(404, "<html>"), HasSubstr("endpoint"));
    EXPECT_THAT(detail(404, ""), HasSubstr("proxy"));
    EXPECT_THAT(to_error(call::head, answer(400)).why()->detail, HasSubstr("credentials"));
}

TEST(s3_response, message_of_the_service_is_one_short_line)
{
    auto const failed = to_error(call::read, answer(403, "<Error><Code>AccessDenied</Code><Message>a&#13;\nb"
                                                             + std::string(1000, 'x') + "</Message></Error>"));
    EXPECT_TRUE(failed.why()->detail.starts_with("a  bxxx")) << failed.why()->detail;
    EXPECT_EQ(failed.why()->detail.size(), 300u);
}

TEST(s3_response, retry_after_is_read_in_both_forms_and_never_believed_for_days)
{
    auto const wait = [](char const* text) {
        auto const failed =
            to_error(call::read, answer(429, "", {{"Retry-After", text}, {"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
        return failed.why()->retry_after;
    };
    EXPECT_EQ(wait("Sun, 06 Nov 1994 08:50:07 GMT"), std::chrono::seconds(30));
    EXPECT_EQ(wait("Sun, 06 Nov 1994 08:00:00 GMT"), std::chrono::seconds(0));
    EXPECT_EQ(wait("18446744073709551615"), std::chrono::hours(24));
    EXPECT_EQ(wait("-1"), std::nullopt);
    EXPECT_EQ(wait("soon"), std::nullopt);
}

TEST(s3_response, broken_exchange_on_a_write_is_unknown_only_if_the_server_may_have_acted)
{
    using http::broken;
    auto const code = [](call what, broken how, errc why) {
        return name_of(to_error(what, http::exchange_error(how, error(why, "because"))));
    };
    EXPECT_EQ(code(call::create, broken::nothing_sent, errc::unavailable), "unavailable");
    EXPECT_EQ(code(call::create, broken::stale, errc::unavailable), "outcome_unknown");
    EXPECT_EQ(code(call::write, broken::ambiguous, errc::protocol), "outcome_unknown");
    EXPECT_EQ(code(call::update, broken::refused, errc::limit_exceeded), "outcome_unknown");
    EXPECT_EQ(code(call::update, broken::refused, errc::invalid_argument), "invalid_argument");
    EXPECT_EQ(code(call::read, broken::stale, errc::unavailable), "unavailable");
    EXPECT_EQ(code(call::read, broken::ambiguous, errc::protocol), "protocol");
    EXPECT_EQ(code(call::list, broken::refused, errc::limit_exceeded), "limit_exceeded");
    EXPECT_EQ(to_error(call::write, http::exchange_error(broken::ambiguous, error(errc::unavailable, "because")))
                  .why()
                  ->detail,
              "because");
}

/// What a store tells of every object.
std::vector<http::field> const stored{{"ETag", "\"e\""}};

TEST(read_object, whole_object_has_its_metadata)
{
    auto const read = read_object(answer(200, "hello",
                                         {{"ETag", "\"e\""},
                                          {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"},
                                          {"Date", "Sun, 06 Nov 1994 08:49:38 GMT"}}),
                                  {});
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->content.view(), "hello");
    EXPECT_EQ(read->tag.text(), "\"e\"");
    EXPECT_EQ(read->full_size, 5u);
    EXPECT_EQ(read->last_modified, time_ms(std::chrono::milliseconds(784'111'777'000)));
    EXPECT_EQ(read->info.date, time_ms(std::chrono::milliseconds(784'111'778'000)));
}

TEST(read_object, range_must_be_the_one_that_was_asked_for)
{
    struct {
        int status;
        char const* content_range;
        char const* body;
        bool good;
    } const table[] = {{206, "bytes 2-4/9", "cde", true},   {206, "bytes 2-3/4", "cd", true},
                       {206, "bytes 2-3/9", "cd", false},   {206, "bytes 1-4/9", "bcde", false},
                       {206, "bytes 2-4/9", "cd", false},   {206, "bytes 2-4/*", "cde", false},
                       {206, "bytes 2-4/3", "cde", false},  {206, "", "cde", false},
                       {206, "bytes 2-5/9", "cdef", false}, {200, "", "abcdefghi", false},
                       {206, "octets 2-4/9", "cde", false}, {206, "bytes 4-2/9", "cde", false}};
    for (auto const& row : table) {
        get_options options;
        options.range = byte_range{2, 4};
        auto const read = read_object(
            answer(row.status, row.body, {{"ETag", "\"e\""}, {"Content-Range", row.content_range}}), options);
        EXPECT_EQ(read.has_value(), row.good) << row.content_range << ' ' << row.body;
        EXPECT_EQ(read ? "ok" : name_of(read.error()), row.good ? "ok" : "protocol");
    }
}

TEST(read_object, part_without_asking_is_refused)
{
    EXPECT_FALSE(read_object(answer(206, "cde", {{"Content-Range", "bytes 2-4/9"}}), {}).has_value());
}

TEST(read_object, more_than_max_bytes_is_a_limit)
{
    get_options options;
    options.max_bytes = 4;
    auto const read = read_object(answer(200, "hello", stored), options);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(name_of(read.error()), "limit_exceeded");
    EXPECT_THAT(read.error().message(), HasSubstr("max_bytes"));
}

TEST(read_object, whole_object_must_have_the_sum_that_is_told)
{
    struct sum_row {
        char const* field;
        char const* right;
    };
    for (auto const& [field, right] :
         {sum_row{"x-amz-checksum-crc64nvme", "rosUhgp5mIg="}, sum_row{"x-amz-checksum-crc32c", "4waSgw=="},
          sum_row{"x-amz-checksum-crc32", "y/Q5Jg=="}, sum_row{"x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="},
          sum_row{"x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="},
          sum_row{"Content-MD5", "JfnnlDI7RTiF9RgfG2JNCw=="}}) {
        http::response told;
        told.status = 200;
        told.body = "123456789";
        told.fields = {{"ETag", "\"e\""}, {field, right}};
        EXPECT_TRUE(read_object(told, {})) << field;
        told.body = "12345678?";
        EXPECT_EQ(read_object(told, {}).error(), errc::unavailable) << field;
        told.fields = {{"ETag", "\"e\""}, {field, std::string(right) + "-2"}};
        EXPECT_TRUE(read_object(told, {})) << "of an upload in parts: " << field;
        told.fields = {{"ETag", "\"e\""}, {field, right}, {"x-amz-checksum-type", "COMPOSITE"}};
        EXPECT_TRUE(read_object(told, {})) << field;
    }
}

TEST(read_head, size_comes_from_the_header)
{
    auto const read = read_head(answer(200, "", {{"Content-Length", "12"}, {"ETag", "\"e\""}}), object_key("k"));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->size, 12u);
    EXPECT_EQ(read->key.text(), "k");
    EXPECT_EQ(name_of(read_head(answer(200), object_key("k")).error()), "protocol");
    EXPECT_EQ(name_of(read_head(answer(404), object_key("k")).error()), "not_found");
}

TEST(read_create, winner_and_loser_are_values)
{
    auto const won = read_create(answer(200, "", stored));
    ASSERT_TRUE(won.has_value());
    EXPECT_TRUE(won->created);
    EXPECT_EQ(won->tag.text(), "\"e\"");
    for (int const status : {304, 412}) {
        auto const lost_race = read_create(answer(status));
        ASSERT_TRUE(lost_race.has_value()) << status;
        EXPECT_FALSE(lost_race->created);
    }
}

TEST(read_create, error_document_in_a_success_is_an_error)
{
    auto const read = read_create(answer(200, error_document("InternalError")));
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(name_of(read.error()), "outcome_unknown");
    EXPECT_FALSE(read_put(answer(200, error_document("InternalError"))).has_value());
    EXPECT_FALSE(read_update(answer(200, error_document("Strange"))).has_value());
    // No XML parser takes a declaration after a blank, and no code need be there.
    for (auto const& torn :
         {"\n" + error_document("InternalError"), std::string("<Error><Code>Int"), std::string("<Error/>")}) {
        auto const unreadable = read_create(answer(200, torn));
        ASSERT_FALSE(unreadable.has_value()) << torn;
        EXPECT_EQ(name_of(unreadable.error()), "outcome_unknown") << torn;
    }
}

TEST(read_answer, page_of_a_proxy_is_no_success)
{
    for (int const status : {200, 201, 204}) {
        auto const page = answer(status, "<html>Welcome</html>");
        EXPECT_EQ(read_create(page).error(), errc::outcome_unknown) << status;
        EXPECT_EQ(read_update(page).error(), errc::outcome_unknown) << status;
        EXPECT_EQ(read_put(page).error(), errc::outcome_unknown) << status;
        EXPECT_EQ(read_remove(page).error(), errc::outcome_unknown) << status;
        EXPECT_THAT(read_put(page).error().message(), HasSubstr("proxy"));
    }
    EXPECT_EQ(read_put(answer(200)).error(), errc::outcome_unknown);
    EXPECT_EQ(read_object(answer(200, "<html>Welcome</html>"), {}).error(), errc::protocol);
    EXPECT_EQ(read_head(answer(200, "", {{"Content-Length", "12"}}), object_key("k")).error(), errc::protocol);
}

TEST(read_remove, absent_object_is_no_error)
{
    EXPECT_TRUE(read_remove(answer(204)).has_value());
    EXPECT_TRUE(read_remove(answer(404, error_document("NoSuchKey"))).has_value());
    EXPECT_FALSE(read_remove(answer(404, error_document("NoSuchBucket"))).has_value());
}

std::string listing(std::string const& inside, std::string const& truncated = "<IsTruncated>false</IsTruncated>")
{
    return "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><EncodingType>url</EncodingType>"
           + truncated + inside + "</ListBucketResult>";
}

std::string row(std::string const& key)
{
    return "<Contents><Key>" + key
           + "</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>3</Size></"
             "Contents>";
}

location const below_p("/b", "p");

TEST(read_list, rows_are_decoded_below_the_prefix)
{
    auto const page = read_list(answer(200, listing(row("p/a+b%2B%E2%82%AC") + row("p/z")
                                                    + "<CommonPrefixes><Prefix>p/d%2F</Prefix></CommonPrefixes>")),
                                below_p, {});
    ASSERT_TRUE(page.has_value()) << page.error().message();
    ASSERT_EQ(page->page.objects.size(), 2u);
    EXPECT_EQ(page->page.objects[0].key.text(), "a b+\xE2\x82\xAC");
    EXPECT_EQ(page->page.objects[0].size, 3u);
    EXPECT_EQ(page->page.objects[0].tag.text(), "\"e\"");
    EXPECT_EQ(page->page.objects[0].last_modified, time_ms(std::chrono::milliseconds(1'255'369'830'000)));
    EXPECT_THAT(page->page.common_prefixes, ElementsAre("d/"));
    EXPECT_EQ(page->page.next, std::nullopt);
}

TEST(read_list, names_are_literal_without_encoding_type)
{
    auto const page =
        read_list(answer(200, "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/a+%20</Key>"
                              "<Size>0</Size></Contents></ListBucketResult>"),
                  below_p, {});
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page->page.objects.at(0).key.text(), "a+%20");
}

TEST(read_list, start_after_and_folder_markers_are_no_rows)
{
    list_options options;
    options.start_after = "b";
    auto const page = read_list(answer(200, listing(row("p/") + row("p/b") + row("p/c"))), below_p, options);
    ASSERT_TRUE(page.has_value()) << page.error().message();
    ASSERT_EQ(page->page.objects.size(), 1u);
    EXPECT_EQ(page->page.objects[0].key.text(), "c");
}

TEST(read_list, continuation_must_move_on)
{
    list_options options;
    options.continuation = "t1";
    auto const read = [&](char const* token) {
        return read_list(answer(200, listing(row("p/a"), std::string("<IsTruncated>true</IsTruncated>") + token)),
                         below_p, options);
    };
    EXPECT_EQ(read("<NextContinuationToken>t2</NextContinuationToken>")->page.next, "t2");
    for (char const* const stuck :
         {"", "<NextContinuationToken/>", "<NextContinuationToken>t1</NextContinuationToken>"}) {
        EXPECT_EQ(name_of(read(stuck).error()), "protocol") << stuck;
    }
}

TEST(read_list, malformed_page_is_a_protocol_error)
{
    for (auto const& body :
         {std::string(), std::string("<html/>"), listing("").substr(0, 80), listing("", ""), listing(row("q/a")),
          listing(row("p/%FF")), listing(row("p/%4")), listing(row("p/a") + row("p/a")),
          listing("<Contents><Key>p/a</Key><Size>x</Size></Contents>")}) {
        auto const page = read_list(answer(200, body), below_p, {});
        ASSERT_FALSE(page.has_value()) << body;
        EXPECT_EQ(name_of(page.error()), "protocol") << body;
    }
    EXPECT_EQ(name_of(read_list(answer(404, error_document("NoSuchBucket")), below_p, {}).error()), "configuration");
    EXPECT_EQ(name_of(read_list(answer(200, error_document("SlowDown")), below_p, {}).error()), "unavailable");
}

TEST(read_list, order_is_told)
{
    auto const in_order = read_list(answer(200, listing(row("p/a") + row("p/b"))), below_p, {});
    ASSERT_TRUE(in_order.has_value());
    EXPECT_TRUE(in_order->ordered);
    auto const in_none = read_list(answer(200, listing(row("p/b") + row("p/a"))), below_p, {});
    ASSERT_TRUE(in_none.has_value());
    EXPECT_FALSE(in_none->ordered);
    EXPECT_EQ(in_none->page.objects.size(), 2u);
}

constexpr time_ms signed_at{std::chrono::milliseconds(784'111'777'000)};

resend reason(call what, http::response const& got)
{
    return why_resend(what, http::exchange_result(got), request_facts{"us-east-1", signed_at});
}

TEST(why_resend, other_region_is_named_by_header_or_body)
{
    EXPECT_EQ(reason(call::read, answer(301, "", {{"x-amz-bucket-region", "eu-west-1"}})), resend::other_region);
    EXPECT_EQ(
        reason(call::write, answer(400, error_document("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"))),
        resend::other_region);
    auto const temporary = "<Endpoint>bucket.s3.eu-west-1.amazonaws.com</Endpoint>";
    EXPECT_EQ(reason(call::create, answer(307, error_document("TemporaryRedirect", temporary))), resend::other_region);
    EXPECT_EQ(reason(call::read, answer(301, "", {{"x-amz-bucket-region", "us-east-1"}})), resend::no);
    EXPECT_EQ(reason(call::read, answer(301, "", {{"x-amz-bucket-region", "evil.example/"}})), resend::no);
    EXPECT_EQ(reason(call::read, answer(200, "", {{"x-amz-bucket-region", "eu-west-1"}})), resend::no);
    EXPECT_EQ(reason(call::read, answer(301)), resend::no);
}

result<std::vector<key_failure>> read_removal(http::response const& from)
{
    return read_remove_many(from, location("/bucket", "root"), {object_key("a&b"), object_key("c"), object_key("d")});
}

TEST(read_remove_many, each_key_has_the_outcome_that_the_document_names)
{
    auto const failed = read_removal(
        answer(200, "<DeleteResult><Deleted><Key>root/a&amp;b</Key></Deleted><Error><Key>root/c</Key><Code>AccessDenied"
                    "</Code><Message>not\nyours</Message></Error><Error><Key>root/d</Key><Code>InternalError</Code>"
                    "</Error></DeleteResult>"));
    ASSERT_TRUE(failed.has_value());
    ASSERT_EQ(failed->size(), 2u);
    EXPECT_EQ((*failed)[0].key, object_key("c"));
    EXPECT_EQ((*failed)[0].why, errc::access_denied);
    EXPECT_EQ((*failed)[0].why.why()->detail, "not yours");
    EXPECT_EQ((*failed)[1].why, errc::outcome_unknown);
    EXPECT_EQ((*failed)[1].why.why()->service_code, "InternalError");
    EXPECT_EQ((*failed)[1].why.why()->status, 500) << "what is told later may be asked again";
}

TEST(read_remove_many, absent_object_is_gone_and_an_unnamed_one_is_unknown)
{
    auto const failed = read_removal(answer(200, "<DeleteResult><Error><Key>root/c</Key><Code>NoSuchKey</Code></Error>"
                                                 "<Deleted><Key>root/d</Key></Deleted></DeleteResult>"));
    ASSERT_TRUE(failed.has_value());
    ASSERT_EQ(failed->size(), 1u);
    EXPECT_EQ(failed->front().key, object_key("a&b"));
    EXPECT_EQ(failed->front().why, errc::outcome_unknown);
}

TEST(read_remove_many, a_200_is_no_success_until_its_document_is_read)
{
    for (char const* const body : {"", "<DeleteResult>", "<html></html>", "<DeleteResult><Deleted>"}) {
        EXPECT_EQ(read_removal(answer(200, body)).error(), errc::outcome_unknown) << body;
    }
    EXPECT_EQ(read_removal(answer(200, error_document("SlowDown"))).error(), errc::outcome_unknown);
    EXPECT_EQ(read_removal(answer(403, error_document("AccessDenied"))).error(), errc::access_denied);
}

TEST(why_resend, refused_signature_with_a_far_clock_is_signed_again)
{
    http::field const far{"Date", "Sun, 06 Nov 1994 09:49:37 GMT"}, near{"Date", "Sun, 06 Nov 1994 08:50:37 GMT"};
    EXPECT_EQ(reason(call::create, answer(403, error_document("RequestTimeTooSkewed"), {far})), resend::server_clock);
    EXPECT_EQ(reason(call::read, answer(403, "", {far})), resend::server_clock) << "HEAD has no body";
    EXPECT_EQ(reason(call::read, answer(403, error_document("AccessDenied"), {far})), resend::no);
    EXPECT_EQ(reason(call::read, answer(403, error_document("RequestTimeTooSkewed"), {near})), resend::no);
    EXPECT_EQ(reason(call::read, answer(403, error_document("RequestTimeTooSkewed"))), resend::no);
    EXPECT_EQ(reason(call::read, answer(503, "", {far})), resend::no);
}

TEST(why_resend, a_head_refused_without_a_word_may_need_fresh_credentials)
{
    EXPECT_EQ(reason(call::head, answer(400)), resend::fresh_credentials);
    EXPECT_EQ(reason(call::head, answer(400, "", {{"x-amz-bucket-region", "eu-west-1"}})), resend::other_region);
    EXPECT_EQ(reason(call::head, answer(400, "", {{"Date", "Sun, 06 Nov 1994 09:49:37 GMT"}})), resend::server_clock);
    EXPECT_EQ(reason(call::head, answer(403)), resend::no) << "absent, to who may not list";
    EXPECT_EQ(reason(call::read, answer(400)), resend::no);
}

TEST(why_resend, stale_connection_is_replaced_for_reads_only)
{
    auto const stale = http::exchange_result(http::exchange_error(http::broken::stale, errc::unavailable));
    auto const ambiguous = http::exchange_result(http::exchange_error(http::broken::ambiguous, errc::unavailable));
    request_facts const sent{"us-east-1", signed_at};
    EXPECT_EQ(why_resend(call::read, stale, sent), resend::fresh_connection);
    EXPECT_EQ(why_resend(call::list, stale, sent), resend::fresh_connection);
    for (call const what : {call::write, call::create, call::update, call::remove}) {
        EXPECT_EQ(why_resend(what, stale, sent), resend::no);
    }
    EXPECT_EQ(why_resend(call::read, ambiguous, sent), resend::no);
}

}  // namespace
}  // namespace headwater::s3
