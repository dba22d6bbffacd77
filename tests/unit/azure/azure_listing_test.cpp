// Pages of List Blobs: names, filters, markers, and the XML that is none.
#include "adapters/azure/azure_listing.hpp"
#include "tests/unit/azure/builders.hpp"

#include <gmock/gmock.h>

namespace headwater::azure {

namespace {

using test::a;
using test::answer;
using test::at;
using testing::ElementsAre;
using testing::IsEmpty;

std::string blob(std::string const& name, std::string const& more = {})
{
    return "<Blob><Name>" + name
           + "</Name><Properties><Last-Modified>Sun, 29 Nov 2026 10:00:00 GMT</Last-Modified><Etag>0x8DB</Etag>"
             "<Content-Length>3</Content-Length>"
           + more + "</Properties></Blob>";
}

std::string group(std::string const& name) { return "<BlobPrefix><Name>" + name + "</Name></BlobPrefix>"; }

http::response page_of(std::string const& rows, std::string const& next = {})
{
    return answer(
        200, {{"Date", "Mon, 30 Nov 2026 00:00:00 GMT"}},
        "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ContainerName=\"log\"><Blobs>" + rows
            + "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>");
}

result<listing> read(http::response const& said, list_options const& options = {})
{
    return read_listing(a(operation::list), said, "graph/", options);
}

std::vector<std::string> keys_of(listing const& read)
{
    std::vector<std::string> out;
    for (auto const& row : read.page.objects) out.push_back(row.key.text());
    return out;
}

TEST(read_listing, row_has_key_size_etag_and_time)
{
    auto const got = read(page_of(blob("graph/main/1"))).value();
    ASSERT_EQ(got.page.objects.size(), 1);
    auto const& row = got.page.objects[0];
    EXPECT_EQ(row.key.text(), "main/1");
    EXPECT_EQ(row.size, 3);
    EXPECT_EQ(row.tag.text(), "\"0x8DB\"") << "as a GET spells it";
    EXPECT_EQ(row.last_modified, at("Sun, 29 Nov 2026 10:00:00 GMT"));
    EXPECT_FALSE(got.page.next);
    EXPECT_EQ(got.page.info.date, at("Mon, 30 Nov 2026 00:00:00 GMT"));
}

TEST(read_listing, encoded_names_are_decoded)
{
    auto const got = read(page_of("<Blob><Name Encoded=\"true\">graph/a%EF%BF%BE+b</Name><Properties><Content-Length>0"
                                  "</Content-Length></Properties></Blob>"
                                  + blob("graph/b%20&amp;&lt;é")))
                         .value();
    EXPECT_THAT(keys_of(got), ElementsAre("a\xEF\xBF\xBE+b", "b%20&<é"));
}

TEST(read_listing, directories_and_the_prefix_itself_are_no_objects)
{
    auto const got = read(page_of(blob("graph/") + blob("graph/dir", "<ResourceType>directory</ResourceType>")
                                  + blob("graph/file", "<ResourceType>file</ResourceType>")))
                         .value();
    EXPECT_THAT(keys_of(got), ElementsAre("file"));
}

TEST(read_listing, start_after_is_exclusive)
{
    list_options options;
    options.start_after = "b";
    auto const got =
        read(page_of(blob("graph/a") + blob("graph/b") + blob("graph/b0") + blob("graph/c")), options).value();
    EXPECT_THAT(keys_of(got), ElementsAre("b0", "c"));
}

TEST(read_listing, groups_before_start_after_are_left_out)
{
    list_options options;
    options.start_after = "b/5";
    options.delimiter = "/";
    auto const got = read(page_of(group("graph/a/") + group("graph/b/") + group("graph/c/")), options).value();
    EXPECT_THAT(got.page.common_prefixes, ElementsAre("b/", "c/")) << "b/ may have keys after b/5";
}

TEST(read_listing, empty_page_with_a_marker_is_not_the_end)
{
    auto const got = read(page_of("", "2!next")).value();
    EXPECT_THAT(got.page.objects, IsEmpty());
    EXPECT_EQ(got.page.next, "2!next");
}

TEST(read_listing, page_that_leads_to_itself_is_refused)
{
    list_options options;
    options.continuation = "2!same";
    EXPECT_EQ(read(page_of(blob("graph/a"), "2!same"), options).error(), errc::protocol);
}

TEST(read_listing, disorder_is_noticed)
{
    EXPECT_TRUE(read(page_of(blob("graph/a-b") + blob("graph/a/b")))->ordered);
    EXPECT_FALSE(read(page_of(blob("graph/a/b") + blob("graph/a-b")))->ordered) << "as hierarchical accounts sort";
    EXPECT_FALSE(read(page_of(blob("graph/a") + blob("graph/a")))->ordered);
}

TEST(read_listing, malformed_pages_are_refused)
{
    http::response const wrong[] = {
        answer(200),
        answer(200, {}, "<EnumerationResults><Blobs>"),
        answer(200, {}, "<EnumerationResults/>"),
        answer(200, {}, "<Other><Blobs/></Other>"),
        page_of("<Blob/>"),
        page_of("<Blob><Name>graph/a</Name></Blob>"),
        page_of("<Blob><Name>graph/a</Name><Properties><Content-Length>x</Content-Length></Properties></Blob>"),
        page_of("<Blob><Name Encoded=\"true\">graph/%2</Name><Properties/></Blob>"),
        page_of(blob("elsewhere/a")),
        page_of("<BlobPrefix/>"),
    };
    for (auto const& said : wrong) EXPECT_EQ(read(said).error(), errc::protocol) << said.body;
}

TEST(read_listing, missing_container_is_configuration)
{
    EXPECT_EQ(read(test::refused(404, "ContainerNotFound")).error(), errc::configuration);
}

}  // namespace

}  // namespace headwater::azure
