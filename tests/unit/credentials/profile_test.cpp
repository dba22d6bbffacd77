// The AWS files: what is read, and where a profile's credentials come from.
#include "adapters/credentials/aws_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headwater::credentials {
namespace {

using testing::HasSubstr;
using testing::Not;

ini_section section(std::initializer_list<std::pair<std::string const, std::string>> settings) { return settings; }

TEST(parse_ini, sections_settings_and_remarks_are_told_apart)
{
    auto const read = parse_ini("\xEF\xBB\xBF; a remark\n[default]\r\nAWS_Access_Key_Id = AK#ID ; remark\r\n"
                                "empty=\n# remark\ns3 =\n  max_concurrent_requests = 20\n"
                                "[ profile dev ]  # remark\nrole_arn=arn:aws:iam::1:role/r=x\nno setting\n"
                                "[broken\nlost = 1\n[default]\nempty = full\nlast = x");
    EXPECT_EQ(read.at("default"), section({{"aws_access_key_id", "AK#ID"},
                                           {"empty", "full"},
                                           {"s3", ""},
                                           {"s3.max_concurrent_requests", "20"},
                                           {"last", "x"}}));
    EXPECT_EQ(read.at("profile dev"), section({{"role_arn", "arn:aws:iam::1:role/r=x"}}));
    EXPECT_EQ(read.size(), 2u);
    EXPECT_TRUE(parse_ini("").empty());
    EXPECT_TRUE(parse_ini("a = b").empty());
}

ini_sections profiles(std::string_view config, std::string_view keys = "")
{
    return merge_profiles(parse_ini(config), parse_ini(keys));
}

TEST(merge_profiles, credentials_file_wins_and_other_sections_are_no_profiles)
{
    auto const both = profiles("[default]\na = 1\nb = 1\n[profile dev]\nc = 1\n[sso-session dev]\nd = 1\n[dev]\ne = 1\n"
                               "[services s]\ng = 1",
                               "[default]\na = 2\n[other]\nf = 2");
    EXPECT_EQ(both.at("default"), section({{"a", "2"}, {"b", "1"}}));
    EXPECT_EQ(both.at("dev"), section({{"c", "1"}}));
    EXPECT_EQ(both.at("other"), section({{"f", "2"}}));
    EXPECT_EQ(both.at("services s"), section({{"g", "1"}}));
    EXPECT_EQ(both.size(), 4u);
}

constexpr char const* keys =
    "[base]\naws_access_key_id = AKID\naws_secret_access_key = HUSH\naws_session_token = HUSHT";

TEST(plan_profile, keys_stand_for_themselves)
{
    auto const plan = plan_profile(profiles("", keys), "base").value();
    auto const& found = std::get<aws_credentials>(plan.first);
    EXPECT_EQ(found.access_key_id, "AKID");
    EXPECT_EQ(found.secret_access_key, "HUSH");
    EXPECT_EQ(found.session_token, "HUSHT");
    EXPECT_TRUE(plan.roles.empty());
}

TEST(plan_profile, roles_are_assumed_from_the_source_upwards)
{
    auto const plan = plan_profile(profiles("[profile top]\nrole_arn = r2\nsource_profile = middle\nexternal_id = x\n"
                                            "[profile middle]\nrole_arn = r1\nsource_profile = base\n"
                                            "role_session_name = me\nduration_seconds = 900",
                                            keys),
                                   "top")
                          .value();
    EXPECT_EQ(std::get<aws_credentials>(plan.first).access_key_id, "AKID");
    ASSERT_EQ(plan.roles.size(), 2u);
    EXPECT_EQ(plan.roles[0].arn, "r1");
    EXPECT_EQ(plan.roles[0].session, "me");
    EXPECT_EQ(plan.roles[0].duration, "900");
    EXPECT_EQ(plan.roles[1].arn, "r2");
    EXPECT_EQ(plan.roles[1].session, "headwater");
    EXPECT_EQ(plan.roles[1].external_id, "x");
}

TEST(plan_profile, profile_may_be_its_own_source)
{
    auto const plan =
        plan_profile(profiles("[profile base]\nrole_arn = r\nsource_profile = base", keys), "base").value();
    EXPECT_EQ(std::get<aws_credentials>(plan.first).access_key_id, "AKID");
    ASSERT_EQ(plan.roles.size(), 1u);
    EXPECT_EQ(plan.roles[0].arn, "r");
}

TEST(plan_profile, other_sources_are_named)
{
    auto const all = profiles("[profile process]\ncredential_process = fetch --now\n"
                              "[profile web]\nrole_arn = r\nweb_identity_token_file = /t\n"
                              "[profile ec2]\nrole_arn = r\ncredential_source = Ec2InstanceMetadata\n");
    EXPECT_EQ(std::get<process_source>(plan_profile(all, "process").value().first).command, "fetch --now");
    auto const web = plan_profile(all, "web").value();
    EXPECT_EQ(std::get<web_identity_source>(web.first).token_file, "/t");
    EXPECT_EQ(std::get<web_identity_source>(web.first).as.arn, "r");
    EXPECT_TRUE(web.roles.empty());
    auto const ec2 = plan_profile(all, "ec2").value();
    EXPECT_EQ(std::get<named_source>(ec2.first).name, "Ec2InstanceMetadata");
    EXPECT_EQ(ec2.roles.size(), 1u);
}

TEST(plan_profile, what_cannot_work_says_why_and_repeats_no_secret)
{
    std::pair<char const*, char const*> const rows[] = {
        {"", "is in neither of the AWS files"},
        {"[profile p]\nregion = eu-west-1", "says nothing about credentials"},
        {"[profile p]\naws_access_key_id = HUSH", "without its secret"},
        {"[profile p]\naws_access_key_id = a\naws_secret_access_key = HU SH", "characters that none has"},
        {"[profile p]\nrole_arn = r", "neither source_profile"},
        {"[profile p]\nrole_arn = r\nsource_profile = q", "is in neither"},
        {"[profile p]\nrole_arn = r\nmfa_serial = m\nsource_profile = p", "only a person has"},
        {"[profile p]\nsso_session = s", "SSO"},
        {"[profile p]\nrole_arn = r\nsource_profile = q\n[profile q]\nrole_arn = r\nsource_profile = p", "in a circle"},
    };
    for (auto const& [text, why] : rows) {
        auto const plan = plan_profile(profiles(text), "p");
        ASSERT_FALSE(plan.has_value()) << text;
        EXPECT_EQ(plan.error(), errc::configuration) << text;
        EXPECT_THAT(plan.error().message(), HasSubstr(why)) << text;
        EXPECT_THAT(plan.error().message(), Not(HasSubstr("HU"))) << text;
    }
}

}  // namespace
}  // namespace headwater::credentials
