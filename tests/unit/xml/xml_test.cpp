// The XML reader: what the services send is read whole, anything else is refused.
#include "adapters/xml/xml.hpp"

#include <gtest/gtest.h>

namespace headwater::xml {
namespace {

TEST(xml, listing_reads_names_text_and_order)
{
    auto const root = parse(R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>
<Contents><Key>a &amp; b&#x20AC;</Key><Size>3</Size></Contents><Contents><Key> </Key></Contents></ListBucketResult>)");

    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->name, "ListBucketResult");
    EXPECT_EQ(root->text_of("IsTruncated"), "false");
    ASSERT_EQ(root->children.size(), 3u);
    EXPECT_EQ(root->children[1].text_of("Key"), "a & b\xE2\x82\xAC");
    EXPECT_EQ(root->children[2].text_of("Key"), " ") << "white space is part of a key";
    EXPECT_EQ(root->child("Absent"), nullptr);
    EXPECT_EQ(root->text_of("Absent"), "");
}

TEST(xml, byte_order_mark_is_skipped)
{
    auto const root = parse("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>X</Code></Error>");
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->text_of("Code"), "X");
}

TEST(xml, attribute_and_prefix_are_read)
{
    auto const root = parse(R"(<a:R xmlns:a="urn:a"><a:Name a:Encoded="true">x%EF</a:Name></a:R>)");
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->name, "R");
    ASSERT_NE(root->child("Name"), nullptr);
    EXPECT_EQ(root->child("Name")->attribute("Encoded"), "true");
    EXPECT_EQ(root->child("Name")->attribute("Other"), "");
}

class xml_refusal : public testing::TestWithParam<char const*> {};

TEST_P(xml_refusal, bad_document_is_a_protocol_error)
{
    auto const root = parse(GetParam());
    ASSERT_FALSE(root.has_value());
    EXPECT_TRUE(root.error() == errc::protocol) << root.error().message();
}

INSTANTIATE_TEST_SUITE_P(documents, xml_refusal,
                         testing::Values("", "   ", "text", "<a>", "<a><b></a></b>", "<a/><b/>", "<a>&nope;</a>",
                                         "<a>\x01</a>", "<a>\xFF</a>", "<a/>trailing", "<html><br></html>",
                                         "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a b=1/>"));

TEST(xml, nesting_beyond_the_limit_is_refused)
{
    auto const nested = [](std::size_t depth) {
        std::string open, close;
        for (std::size_t i = 0; i < depth; ++i) {
            open += "<a>";
            close += "</a>";
        }
        return parse(open + close);
    };
    EXPECT_TRUE(nested(max_depth).has_value());
    EXPECT_FALSE(nested(max_depth + 1).has_value());
}

TEST(xml, document_beyond_the_limit_is_refused)
{
    std::string large = "<a>" + std::string(max_document_bytes, 'x') + "</a>";
    EXPECT_FALSE(parse(large).has_value());
}

}  // namespace
}  // namespace headwater::xml
