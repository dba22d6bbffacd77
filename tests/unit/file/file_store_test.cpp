// The file adapter where a directory is not a server: paths, links, foreign files, errors of the system.
#include "tests/support/run.hpp"

#include <headwater/adapters/file.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

namespace headwater {
namespace {

namespace fs = std::filesystem;

struct file_store : testing::Test {
    file_store()
    {
        root = fs::temp_directory_path() / ("headwater-file-" + std::to_string(chance->next()));
        store = make_file_store({.root = root}, *chance);
    }
    ~file_store() override { fs::remove_all(root); }

    result<put_answer> put(char const* key, char const* content = "content")
    {
        return test::run(store->put(object_key(key), bytes(content)));
    }
    result<create_answer> create(char const* key, std::string content = "content")
    {
        return test::run(store->put_if_absent(object_key(key), bytes(std::move(content))));
    }
    result<object> get(char const* key) { return test::run(store->get(object_key(key), get_options())); }
    std::vector<std::string> list(std::string prefix = "")
    {
        auto const page = test::run(store->list(std::move(prefix), list_options()));
        EXPECT_TRUE(page);
        std::vector<std::string> keys;
        for (auto const& found : page->objects) keys.push_back(found.key.text());
        return keys;
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> paths;
        for (auto const& entry : fs::recursive_directory_iterator(root)) {
            if (!entry.is_directory()) paths.push_back(fs::relative(entry.path(), root).string());
        }
        return paths;
    }
    void plant(fs::path const& path, char const* content = "foreign")
    {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << content;
    }

    std::unique_ptr<headwater::random> chance = make_system_random();
    fs::path root;
    std::unique_ptr<object_store> store;
};

using names = std::vector<std::string>;

template <class T>
void expect_error(result<T> const& answer, errc code, std::string const& path)
{
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), code) << answer.error().message();
    EXPECT_NE(answer.error().message().find(path), std::string::npos) << answer.error().message();
}

TEST_F(file_store, a_missing_root_is_empty_until_the_first_write)
{
    EXPECT_EQ(get("a").error(), errc::not_found);
    EXPECT_EQ(list(), names());
    EXPECT_TRUE(test::run(store->remove(object_key("a"))));
    EXPECT_FALSE(fs::exists(root));
    EXPECT_TRUE(create("a"));
    EXPECT_TRUE(fs::exists(root / "a"));
}

TEST_F(file_store, an_object_is_one_file_at_its_key_and_nothing_else)
{
    ASSERT_TRUE(create("_graph/main/18446744073709551614.commit"));
    ASSERT_TRUE(put("_graph/main/latest.json"));
    ASSERT_TRUE(put("_graph/main/latest.json", "again"));
    EXPECT_FALSE(create("_graph/main/latest.json")->created);
    auto found = files();
    std::ranges::sort(found);
    EXPECT_EQ(found, (names{"_graph/main/18446744073709551614.commit", "_graph/main/latest.json"}));
}

TEST_F(file_store, what_a_stopped_write_left_is_listed_and_can_be_removed)
{
    constexpr auto left = "d/a.tmp.0123abcd-0123-4567-89ab-0123456789ab";
    ASSERT_TRUE(put("d/a"));
    plant(left);
    EXPECT_EQ(list(), (names{"d/a", left}));
    ASSERT_TRUE(test::run(store->remove(object_key(left))));
    EXPECT_EQ(list(), names{"d/a"});
}

TEST_F(file_store, foreign_files_are_not_listed)
{
    ASSERT_TRUE(put("d/a"));
    plant("d/%!not-an-escape");
    fs::create_directories(root / "empty/below");
    ASSERT_EQ(::mkfifo((root / "d/pipe").c_str(), 0600), 0);
    EXPECT_EQ(list(), names{"d/a"});
    EXPECT_EQ(get("d/pipe").error(), errc::not_found);
}

TEST_F(file_store, a_key_that_looks_temporary_is_an_object_like_any_other)
{
    constexpr auto key = "a.tmp.0123abcd-0123-4567-89ab-0123456789ab";
    ASSERT_TRUE(create(key));
    EXPECT_TRUE(get(key));
    EXPECT_EQ(list(), names{key});
}

TEST_F(file_store, symbolic_links_are_refused_and_not_listed)
{
    auto const outside = fs::path(root.string() + "-outside");
    fs::create_directories(outside);
    std::ofstream(outside / "secret") << "secret";
    ASSERT_TRUE(put("a"));
    fs::create_symlink(outside, root / "out");
    fs::create_symlink(outside / "secret", root / "link");

    expect_error(get("out/secret"), errc::access_denied, "out");
    expect_error(get("link"), errc::access_denied, "link");
    expect_error(put("out/new"), errc::access_denied, "out");
    expect_error(put("link"), errc::access_denied, "link");
    expect_error(create("out/new"), errc::access_denied, "out");
    expect_error(create("link"), errc::access_denied, "link");
    expect_error(test::run(store->remove(object_key("out/secret"))), errc::access_denied, "out");
    EXPECT_EQ(list(), names{"a"});
    EXPECT_FALSE(test::run(store->list("out/", list_options())));
    EXPECT_TRUE(fs::exists(outside / "secret"));
    EXPECT_FALSE(fs::exists(outside / "new"));
    fs::remove_all(outside);
}

TEST_F(file_store, keys_never_leave_the_root)
{
    ASSERT_TRUE(put("../escaped"));
    ASSERT_TRUE(put("a/../../escaped"));
    EXPECT_FALSE(fs::exists(root.parent_path() / "escaped"));
    EXPECT_TRUE(get("../escaped"));
}

TEST_F(file_store, a_directory_where_the_object_belongs_is_named)
{
    ASSERT_TRUE(put("d/a"));
    EXPECT_EQ(get("d").error(), errc::not_found);
    expect_error(put("d"), errc::configuration, (root / "d").string());
    expect_error(create("d"), errc::configuration, (root / "d").string());
    EXPECT_TRUE(test::run(store->remove(object_key("d"))));
    EXPECT_TRUE(get("d/a"));
}

TEST_F(file_store, a_file_where_a_directory_belongs_is_named)
{
    ASSERT_TRUE(put("a"));
    EXPECT_EQ(get("a/b").error(), errc::not_found);
    expect_error(create("a/b"), errc::configuration, (root / "a").string());
    EXPECT_TRUE(test::run(store->remove(object_key("a/b"))));
}

TEST_F(file_store, a_name_too_long_is_an_invalid_argument)
{
    EXPECT_TRUE(create(std::string(214, 'n').c_str()));
    expect_error(create(std::string(215, 'n').c_str()), errc::invalid_argument, "214 bytes");
    expect_error(create((std::string(256, 'd') + "/a").c_str()), errc::invalid_argument, "ddd");
    EXPECT_EQ(create(std::string(1025, 'n').c_str()).error(), errc::invalid_argument);
}

TEST_F(file_store, what_needs_the_whole_file_for_its_etag_is_bounded)
{
    plant("big", "x");
    fs::resize_file(root / "big", default_max_bytes + 1);  // Sparse.
    object_key const big("big");
    auto const part = test::run(store->get(big, {.range = byte_range{0, 3}}));
    expect_error(part, errc::limit_exceeded, "max_hashed_bytes");
    expect_error(test::run(store->head(big)), errc::limit_exceeded, "max_hashed_bytes");
    expect_error(test::run(store->put_if_match(big, bytes("y"), etag("t"))), errc::limit_exceeded, "max_hashed_bytes");
    expect_error(get("big"), errc::limit_exceeded, "max_bytes");
    EXPECT_EQ(files(), names{"big"});
}

TEST_F(file_store, a_write_that_fails_leaves_nothing)
{
    ASSERT_TRUE(put("d/kept", "before"));
    auto const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    auto small = old;
    small.rlim_cur = 1000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string const big(5000, 'x');
    auto const created = create("d/new", big);
    auto const replaced = put("d/kept", big.c_str());
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, before);

    expect_error(created, errc::limit_exceeded, "d/new");
    expect_error(replaced, errc::limit_exceeded, "d/kept");
    EXPECT_EQ(files(), names{"d/kept"});
    EXPECT_EQ(get("d/kept")->content.view(), "before");
}

TEST_F(file_store, signals_interrupt_nothing)
{
    struct sigaction action {};
    action.sa_handler = [](int) {};  // Without SA_RESTART: every slow call may end with EINTR.
    struct sigaction before {};
    ::sigaction(SIGALRM, &action, &before);
    itimerval const often{{0, 200}, {0, 200}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    for (int at = 0; at < 100; ++at) {
        auto const key = "k" + std::to_string(at);
        auto const made = create(key.c_str(), std::string(100'000, 'x'));
        EXPECT_TRUE(made && made->created);
        EXPECT_TRUE(put(key.c_str()));
    }
    itimerval const never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_EQ(list().size(), 100u);
}

TEST_F(file_store, last_modified_is_the_link_and_not_the_old_content)
{
    ASSERT_TRUE(put("a"));
    auto const young = get("a")->last_modified;
    fs::last_write_time(root / "a", fs::file_time_type::clock::now() - std::chrono::hours(5));
    EXPECT_GE(get("a")->last_modified, young);
}

TEST_F(file_store, the_address_is_absolute_without_a_slash_at_its_end)
{
    EXPECT_EQ(make_file_store({.root = "/srv/graph/"}, *chance)->address(), "file:///srv/graph");
    EXPECT_EQ(make_file_store({.root = "graph"}, *chance)->address(),
              "file://" + (fs::current_path() / "graph").string());
}

}  // namespace
}  // namespace headwater
