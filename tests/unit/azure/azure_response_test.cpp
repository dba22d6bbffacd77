// Successes about one blob, and the promises that make an answer no success.
#include "adapters/azure/azure_response.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gtest/gtest.h>

namespace headwater::azure {

namespace {

using test::a;
using test::answer;
using test::at;
using test::refused;

std::vector<http::field> const fields = {{"ETag", "\"0x8DB\""},
                                         {"Last-Modified", "Sun, 29 Nov 2026 10:00:00 GMT"},
                                         {"Date", "Mon, 30 Nov 2026 00:00:00 GMT"}};

std::vector<http::field> and_also(http::field one)
{
    auto out = fields;
    out.push_back(std::move(one));
    return out;
}

get_options range(std::uint64_t first, std::uint64_t last)
{
    get_options out;
    out.range = byte_range{first, last};
    return out;
}

TEST(read_object, whole_object_has_content_and_meta)
{
    auto const read = read_object(a(operation::get, 2), answer(200, fields, "hello"), {}).value();
    EXPECT_EQ(read.content.view(), "hello");
    EXPECT_EQ(read.tag.text(), "\"0x8DB\"");
    EXPECT_EQ(read.full_size, 5);
    EXPECT_EQ(read.last_modified, at("Sun, 29 Nov 2026 10:00:00 GMT"));
    EXPECT_EQ(read.info.date, at("Mon, 30 Nov 2026 00:00:00 GMT"));
    EXPECT_EQ(read.info.attempts, 2);
}

TEST(read_object, checksum_is_verified_when_there_is_one)
{
    auto const with_md5 = [](char const* sum) { return answer(200, and_also({"Content-MD5", sum}), "hello"); };
    EXPECT_TRUE(read_object(a(operation::get), with_md5("XUFAKrxLKna5cZ2REBfFkg=="), {}));
    EXPECT_EQ(read_object(a(operation::get), with_md5("AAAAKrxLKna5cZ2REBfFkg=="), {}).error(), errc::unavailable);
}

TEST(read_object, range_must_be_the_one_that_was_asked_for)
{
    struct row {
        get_options options;
        int status;
        char const* said;
        char const* body;
        bool fits;
    };
    constexpr auto open = std::numeric_limits<std::uint64_t>::max();
    row const rows[] = {
        {range(2, 4), 206, "bytes 2-4/10", "abc", true},
        {range(8, 20), 206, "bytes 8-9/10", "ab", true},
        {range(8, open), 206, "bytes 8-9/10", "ab", true},
        {range(2, 4), 206, "bytes 2-4/10", "ab", false},
        {range(2, 4), 206, "bytes 3-5/10", "abc", false},
        {range(2, 4), 206, "bytes 2-3/10", "ab", false},
        {range(2, 4), 206, "bytes 2-5/10", "abcd", false},
        {range(2, 4), 206, "bytes 2-4/*", "abc", false},
        {range(2, 4), 206, "bytes 2-4/4", "abc", false},
        {range(2, 4), 206, "", "abc", false},
        {range(2, 4), 206, "bytes 4-2/10", "abc", false},
        {range(2, 4), 206, "items 2-4/10", "abc", false},
        {range(2, 4), 200, "", "abc", false},
        {{}, 206, "bytes 0-2/3", "abc", false},
    };
    for (auto const& [options, status, said, body, fits] : rows) {
        auto const read =
            read_object(a(operation::get), answer(status, and_also({"Content-Range", said}), body), options);
        EXPECT_EQ(read.has_value(), fits) << said;
        if (read)
            EXPECT_EQ(read->full_size, 10);
        else
            EXPECT_EQ(read.error(), errc::protocol) << said;
    }
}

TEST(read_object, range_that_begins_at_the_end_is_refused_as_the_emulator_spells_it)
{
    auto const said = answer(206, and_also({"Content-Range", "bytes 10-9/10"}));
    EXPECT_EQ(read_object(a(operation::get), said, range(10, 12)).error(), errc::invalid_argument);
    EXPECT_EQ(read_object(a(operation::get), said, range(9, 12)).error(), errc::protocol);
}

TEST(read_object, more_than_max_bytes_is_a_limit)
{
    get_options options;
    options.max_bytes = 4;
    EXPECT_EQ(read_object(a(operation::get), answer(200, fields, "hello"), options).error(), errc::limit_exceeded);
    options.max_bytes = 5;
    EXPECT_TRUE(read_object(a(operation::get), answer(200, fields, "hello"), options));
}

TEST(read_properties, size_is_the_promised_length)
{
    auto const read = read_properties(a(operation::head), answer(200, and_also({"Content-Length", "42"}))).value();
    EXPECT_EQ(read.size, 42);
    EXPECT_EQ(read.key.text(), "main/1");
    EXPECT_EQ(read.tag.text(), "\"0x8DB\"");
    EXPECT_EQ(read_properties(a(operation::head), answer(200, fields)).error(), errc::protocol);
    // The page of a proxy.
    EXPECT_EQ(read_properties(a(operation::head), answer(200, {{"Content-Length", "42"}})).error(), errc::protocol);
    EXPECT_EQ(read_object(a(operation::get), answer(200, {}, "<html>hi</html>"), {}).error(), errc::protocol);
}

TEST(read_create, taken_keys_are_answers_and_not_errors)
{
    EXPECT_TRUE(read_create(a(operation::create), answer(201, fields))->created);
    http::response const taken[] = {refused(409, "BlobAlreadyExists"),
                                    answer(409, {}, "<Error><Code>BlobAlreadyExists</Code></Error>"),
                                    refused(412, "ConditionNotMet"),
                                    refused(403, "UnauthorizedBlobOverwrite"),
                                    refused(412, "LeaseIdMissing"),
                                    refused(409, "BlobImmutableDueToPolicy"),
                                    refused(409, "InvalidBlobType"),
                                    answer(412),
                                    answer(304)};
    for (auto const& said : taken) {
        auto const read = read_create(a(operation::create), said);
        ASSERT_TRUE(read) << said.status;
        EXPECT_FALSE(read->created);
        EXPECT_TRUE(read->tag.empty());
        EXPECT_FALSE(read->earlier_unknown);
    }
    EXPECT_EQ(read_create(a(operation::create), refused(409, "ContainerBeingDeleted")).error(), errc::configuration);
    EXPECT_EQ(read_create(a(operation::create), refused(403, "AuthorizationFailure")).error(), errc::access_denied);
}

TEST(read_update, loss_is_an_error)
{
    EXPECT_EQ(read_update(a(operation::update), answer(201, fields))->tag.text(), "\"0x8DB\"");
    EXPECT_EQ(read_update(a(operation::update), answer(412)).error(), errc::precondition_failed);
}

TEST(read_put, etag_is_quoted_however_it_came)
{
    EXPECT_EQ(read_put(a(operation::put), answer(201, {{"etag", "0x8DB"}}))->tag.text(), "\"0x8DB\"");
    EXPECT_EQ(read_put(a(operation::put), answer(201, {{"etag", "W/\"1\""}}))->tag.text(), "W/\"1\"");
    EXPECT_TRUE(read_put(a(operation::put), answer(201))->tag.empty());
}

TEST(read_remove, absent_blob_is_removed)
{
    EXPECT_TRUE(read_remove(a(operation::remove), answer(202, fields)));
    EXPECT_TRUE(read_remove(a(operation::remove), refused(404, "BlobNotFound")));
    EXPECT_EQ(read_remove(a(operation::remove), refused(404, "ContainerNotFound")).error(), errc::configuration);
    EXPECT_EQ(read_remove(a(operation::remove), answer(500)).error(), errc::outcome_unknown);
}

}  // namespace

}  // namespace headwater::azure
