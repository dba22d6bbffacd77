// Bodies that are cut, changed or damaged on their way: what is read is one version of the object, whole and right, or
// nothing. Request by request, on both transports.
#include "tests/faults/rig.hpp"

#include "adapters/http/cut_read.hpp"

#include <gtest/gtest.h>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::deed;
using test::dialect;

struct reading : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, reading, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

constexpr std::size_t long_size = 300'000;  // Many records of TLS.
constexpr std::size_t cut_at = 100'000;

// No two places of it look the same.
std::string long_content()
{
    std::string out;
    for (int at = 0; out.size() < long_size; ++at) out += std::to_string(at) + ',';
    out.resize(long_size);
    return out;
}

http_options impatient()
{
    http_options out;
    out.idle_timeout = 60ms;
    return out;
}

// Does what is asked, so often cut; the first time more is let through than after.
std::vector<deed> cuts(std::size_t count)
{
    std::vector<deed> out{test::cut_after(cut_at)};
    while (out.size() < count) out.push_back(test::cut_after(cut_at / 4));
    return out;
}

rig_settings with_checksum(body_checksum which)
{
    rig_settings out;
    out.checksum = which;
    return out;
}

constexpr std::array every_checksum{body_checksum::none, body_checksum::md5, body_checksum::crc64};

}  // namespace

TEST_P(reading, a_cut_body_is_gone_on_with_where_it_ended)
{
    auto const content = long_content();
    for (auto const& what : {test::cut_after(cut_at), test::stall_after(cut_at)}) {
        rig on(GetParam(), "", impatient());
        on.server.put("key", content);
        on.server.next({what});
        auto const whole = on.run(on.adapter->get(key, get_options()));
        ASSERT_EQ(told(whole), "ok") << whole.error().message();
        EXPECT_TRUE(whole->content.view() == content);
        EXPECT_EQ(whole->full_size, content.size());
        EXPECT_EQ(whole->tag.text(), on.server.tag("key"));
        EXPECT_EQ(whole->info.attempts, 2u);
        EXPECT_EQ(on.server.wire().requests(), 2);
    }
}

TEST_P(reading, a_cut_range_is_gone_on_with_to_its_end)
{
    auto const content = long_content();
    rig on(GetParam(), "", impatient());
    on.server.put("key", content);
    on.server.next({test::cut_after(cut_at)});
    get_options part;
    part.range = byte_range{1'000, 200'999};
    auto const read = on.run(on.adapter->get(key, part));
    ASSERT_EQ(told(read), "ok") << read.error().message();
    EXPECT_TRUE(read->content.view() == content.substr(1'000, 200'000));
    EXPECT_EQ(read->full_size, content.size());
    EXPECT_EQ(on.server.wire().requests(), 2);
}

TEST_P(reading, is_resumed_no_more_than_max_resumes_times)
{
    auto const content = long_content();
    {
        rig on(GetParam(), "", impatient());
        on.server.put("key", content);
        on.server.next(cuts(http::max_resumes));
        auto const whole = on.run(on.adapter->get(key, get_options()));
        ASSERT_EQ(told(whole), "ok") << whole.error().message();
        EXPECT_TRUE(whole->content.view() == content);
        EXPECT_EQ(whole->info.attempts, http::max_resumes + 1);
    }
    rig on(GetParam(), "", impatient());
    on.server.put("key", content);
    on.server.next(cuts(http::max_resumes + 1));
    auto const whole = on.run(on.adapter->get(key, get_options()));
    EXPECT_EQ(told(whole), "unavailable");
    EXPECT_EQ(why(whole).attempts, http::max_resumes + 1);
    EXPECT_FALSE(why(whole).request_id.empty());
    EXPECT_EQ(on.server.wire().requests(), static_cast<int>(http::max_resumes) + 1);
}

TEST_P(reading, of_an_object_that_changes_meanwhile_begins_anew)
{
    auto const content = long_content();
    auto const change_then_cut = [&](rig& on) {
        auto out = test::cut_after(cut_at);
        // The old content goes out; the object is another one by then.
        out.changes = [&on](test::reply&) { on.server.put("key", "new"); };
        return out;
    };
    {
        rig on(GetParam(), "", impatient());
        on.server.put("key", content);
        on.server.next({change_then_cut(on)});
        auto const read = on.run(on.adapter->get(key, get_options()));
        EXPECT_EQ(told(read), "unavailable");
        EXPECT_EQ(why(read).status, 412);
        EXPECT_EQ(on.server.wire().requests(), 2);
    }
    rig on(GetParam(), "", impatient());
    on.server.put("key", content);
    on.server.next({change_then_cut(on)});
    auto const read = on.run(on.store->get(key, get_options()));
    ASSERT_EQ(told(read), "ok");
    EXPECT_EQ(read->content.view(), "new");
    EXPECT_EQ(on.server.wire().requests(), 3);
}

TEST_P(reading, of_an_object_that_is_removed_meanwhile_finds_none)
{
    rig on(GetParam(), "", impatient());
    on.server.put("key", long_content());
    auto const absent = GetParam().speaks == dialect::s3 ? "NoSuchKey" : "BlobNotFound";
    on.server.next({test::cut_after(cut_at), test::refuse(404, absent)});
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "not_found");
}

TEST_P(reading, is_not_resumed_without_a_strong_etag)
{
    for (std::string const tag : {"", "W/\"1\""}) {
        rig on(GetParam(), "", impatient());
        on.server.put("key", long_content());
        auto what = test::cut_after(cut_at);
        what.changes = [tag](test::reply& answer) {
            for (auto& [name, value] : answer.fields) {
                if (name == "ETag") value = tag;
            }
        };
        on.server.next({what});
        EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "unavailable") << tag;
        EXPECT_EQ(on.server.wire().requests(), 1);
    }
}

TEST_P(reading, a_rest_that_does_not_fit_is_no_data)
{
    auto const another = [](char const* field, char const* value) {
        return test::change([field, value](test::reply& answer) {
            for (auto& [name, text] : answer.fields) {
                if (name == field) text = value;
            }
        });
    };
    for (auto const& rest : {another("ETag", "\"0x99\""), another("Content-Range", "bytes 0-9/10")}) {
        rig on(GetParam(), "", impatient());
        on.server.put("key", long_content());
        on.server.next({test::cut_after(cut_at), rest});
        EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "protocol");
    }
}

TEST_P(reading, damage_is_noticed_where_the_store_tells_a_sum)
{
    for (auto const which : every_checksum) {
        // S3 tells a sum when it is asked for one, Azure in any case.
        bool const told_a_sum = which != body_checksum::none || GetParam().speaks == dialect::azure;
        rig on(GetParam(), with_checksum(which));
        on.server.put("key", "content");
        on.server.next({test::damage_answer()});
        auto const read = on.run(on.adapter->get(key, get_options()));
        EXPECT_EQ(told(read), told_a_sum ? "unavailable" : "ok");
        if (!told_a_sum) continue;
        EXPECT_FALSE(why(read).request_id.empty());
        on.server.next({test::damage_answer()});
        auto const again = on.run(on.store->get(key, get_options()));
        ASSERT_EQ(told(again), "ok");
        EXPECT_EQ(again->content.view(), "content");
        EXPECT_EQ(again->info.attempts, 2u);
    }
}

TEST_P(reading, the_sum_of_a_resumed_read_is_that_of_the_whole)
{
    rig on(GetParam(), with_checksum(body_checksum::crc64));
    on.server.put("key", long_content());
    on.server.next({test::cut_after(cut_at), test::damage_answer()});
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "unavailable");
    on.server.next({test::cut_after(cut_at)});
    EXPECT_EQ(told(on.run(on.adapter->get(key, get_options()))), "ok");
}

TEST_P(reading, what_is_damaged_before_it_is_written_is_refused_and_sent_again)
{
    for (auto const which : every_checksum) {
        auto settings = with_checksum(which);
        settings.unsigned_payload = true;
        bool const signs_body = GetParam().speaks == dialect::s3 && !GetParam().tls;
        bool const noticed = signs_body || which != body_checksum::none;
        rig on(GetParam(), std::move(settings));
        on.server.next({test::damage()});
        auto const created = on.run(on.adapter->put_if_absent(key, bytes("content")));
        EXPECT_EQ(told(created), noticed ? "unavailable" : "created");
        if (!noticed) continue;
        EXPECT_EQ(on.server.writes("key"), 0);
        on.server.next({test::damage()});
        EXPECT_EQ(told(on.run(on.store->put_if_absent(key, bytes("content")))), "created");
        EXPECT_EQ(on.server.content("key"), "content");
        etag const current(on.server.tag("key"));
        on.server.next({test::damage()});
        EXPECT_EQ(told(on.run(on.store->put_if_match(key, bytes("newer"), current))), "replaced");
        on.server.next({test::damage()});
        EXPECT_EQ(told(on.run(on.store->put(key, bytes("newest")))), "written");
        EXPECT_EQ(on.server.content("key"), "newest");
    }
}

}  // namespace headwater::faults
