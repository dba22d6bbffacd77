// The file adapter where a directory is not a server: paths, links, foreign files, errors of the system.
#include "tests/support/run.hpp"

#include <headwater/adapters/file.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/detached.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace headwater {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct file_store : testing::Test {
    file_store()
    {
        root = fs::temp_directory_path() / ("headwater-file-" + std::to_string(chance->next()));
        store = make_file_store({.root = root}, *time, *chance);
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

    std::unique_ptr<headwater::clock> time = make_system_clock();
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

// As another process has it that is about to rename.
class held_lock {
public:
    explicit held_lock(fs::path const& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        EXPECT_EQ(::flock(file_, LOCK_EX), 0);
    }
    ~held_lock() { ::close(file_); }
    held_lock(held_lock const&) = delete;
    held_lock& operator=(held_lock const&) = delete;

    void release() { ::flock(file_, LOCK_UN); }

private:
    int file_;
};

TEST_F(file_store, a_name_that_stays_locked_is_given_up_at_the_lock_timeout)
{
    ASSERT_TRUE(put("a"));
    auto const tag = get("a")->tag;
    store = make_file_store({.root = root, .lock_timeout = 30ms}, *time, *chance);
    held_lock const theirs(root / "a");
    auto const update = [&] { return test::run(store->put_if_match(object_key("a"), bytes("new"), tag)); };
    for (error const& why : {put("a").error(), test::run(store->remove(object_key("a"))).error(), update().error()}) {
        EXPECT_EQ(why, errc::unavailable);
        EXPECT_NE(why.message().find("lock_timeout"), std::string::npos) << why.message();
        EXPECT_EQ(why.why()->key, "a");
    }
    EXPECT_EQ(files(), std::vector<std::string>{"a"});
    EXPECT_EQ(get("a")->content.view(), "content") << "readers need no lock";
}

TEST_F(file_store, a_name_that_becomes_free_is_written_and_others_go_on_meanwhile)
{
    ASSERT_TRUE(put("a"));
    auto const tag = get("a")->tag;
    held_lock theirs(root / "a");
    boost::asio::io_context io(1);
    auto const free_later = [](headwater::clock& time, held_lock& lock) -> boost::asio::awaitable<void> {
        co_await time.sleep_for(20ms);
        lock.release();
    };
    boost::asio::co_spawn(io, free_later(*time, theirs), boost::asio::detached);
    EXPECT_TRUE(test::run(io, store->put_if_match(object_key("a"), bytes("new"), tag)));
    EXPECT_EQ(get("a")->content.view(), "new");
}

TEST_F(file_store, a_wait_for_a_lock_ends_with_the_deadline_of_its_call)
{
    ASSERT_TRUE(put("a"));
    auto const patient = make_retrying_store(*store, *time, *chance, {.deadline = 30ms});
    held_lock const theirs(root / "a");
    auto const late = test::run(patient->put(object_key("a"), bytes("new")));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::outcome_unknown);
    EXPECT_EQ(files(), std::vector<std::string>{"a"});
}

TEST_F(file_store, what_only_looks_or_fails_makes_no_folder)
{
    EXPECT_FALSE(get("d/a"));
    EXPECT_TRUE(list().empty());
    EXPECT_TRUE(test::run(store->remove(object_key("d/a"))));
    EXPECT_FALSE(test::run(store->head(object_key("d/a"))));
    EXPECT_FALSE(test::run(store->put_if_match(object_key("d/a"), bytes("new"), etag("x"))));
    EXPECT_FALSE(fs::exists(root));
}

TEST_F(file_store, the_address_is_absolute_without_a_slash_at_its_end)
{
    EXPECT_EQ(make_file_store({.root = "/srv/graph/"}, *time, *chance)->address(), "file:///srv/graph");
    EXPECT_EQ(make_file_store({.root = "graph"}, *time, *chance)->address(),
              "file://" + (fs::current_path() / "graph").string());
}

}  // namespace
}  // namespace headwater
