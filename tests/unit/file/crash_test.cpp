// Several processes on one root, and processes that are killed at any point: a name is complete or not there, a race
// has one winner, no update is lost, and no lock outlives its holder.
#include "tests/support/run.hpp"

#include <headwater/adapters/file.hpp>

#include <gtest/gtest.h>

#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace headwater {
namespace {

namespace fs = std::filesystem;

struct file_processes : testing::Test {
    file_processes()
    {
        root = fs::temp_directory_path() / ("headwater-crash-" + std::to_string(chance->next()));
        fs::create_directories(root);
    }
    ~file_processes() override { fs::remove_all(root); }

    std::unique_ptr<object_store> open() { return make_file_store({.root = root}, *time, *chance); }

    // The child's exit status is what `work` answers; it never runs the parent's destructors.
    static pid_t start(std::function<int()> const& work)
    {
        auto const child = ::fork();
        if (child == 0) ::_exit(work());
        return child;
    }
    static int wait_for(pid_t child)
    {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::unique_ptr<headwater::clock> time = make_system_clock();
    std::unique_ptr<headwater::random> chance = make_system_random();
    fs::path root;
};

constexpr int processes = 8;

TEST_F(file_processes, a_race_of_creates_has_one_winner_per_name)
{
    constexpr int rounds = 100;
    std::vector<pid_t> children;
    for (int at = 0; at < processes; ++at) {
        children.push_back(start([&] {
            auto const store = open();
            int won = 0;
            for (int round = 0; round < rounds; ++round) {
                object_key key("d/" + std::to_string(round));
                auto const made = test::run(store->put_if_absent(key, bytes(std::to_string(::getpid()))));
                if (!made) return 255;
                won += made->created;
            }
            return won;
        }));
    }
    int winners = 0;
    for (auto const child : children) winners += wait_for(child);
    EXPECT_EQ(winners, rounds);
}

TEST_F(file_processes, no_conditional_update_is_lost)
{
    constexpr int increments = 50;
    object_key const key("counter");
    ASSERT_TRUE(test::run(open()->put_if_absent(key, bytes("0"))));
    std::vector<pid_t> children;
    for (int at = 0; at < processes; ++at) {
        children.push_back(start([&] {
            auto const store = open();
            for (int done = 0; done < increments;) {
                auto const read = test::run(store->get(key, get_options()));
                if (!read) return 1;
                int count = 0;
                auto const text = read->content.view();
                std::from_chars(text.data(), text.data() + text.size(), count);
                auto const next = bytes(std::to_string(count + 1));
                auto const written = test::run(store->put_if_match(key, next, read->tag));
                if (written)
                    ++done;
                else if (written.error() != errc::precondition_failed)
                    return 2;
            }
            return 0;
        }));
    }
    for (auto const child : children) EXPECT_EQ(wait_for(child), 0);
    auto const end = test::run(open()->get(key, get_options()));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->content.view(), std::to_string(processes * increments));
}

TEST_F(file_processes, a_killed_writer_leaves_each_name_complete_or_absent)
{
    constexpr int kills = 40;
    constexpr std::size_t size = 200'000;
    auto const store = open();
    object_key const shared("d/shared");
    ASSERT_TRUE(test::run(store->put(shared, bytes(std::string(size, 'a')))));
    for (int round = 0; round < kills; ++round) {
        auto const child = start([&] {
            auto const own = open();
            for (int at = 0;; ++at) {
                std::string const content(size, static_cast<char>('a' + at % 26));
                object_key const key("d/" + std::to_string(round) + '-' + std::to_string(at));
                if (!test::run(own->put_if_absent(key, bytes(content)))) return 1;
                auto const now = test::run(own->head(shared));
                if (!now || !test::run(own->put_if_match(shared, bytes(content), now->tag))) return 2;
                if (!test::run(own->put(shared, bytes(content)))) return 3;
            }
        });
        timespec const length{0, static_cast<long>(chance->next() % 30'000'000)};
        ::nanosleep(&length, nullptr);
        ::kill(child, SIGKILL);
        EXPECT_EQ(wait_for(child), -1);
        // The dead one's lock is gone: this would hang otherwise.
        ASSERT_TRUE(test::run(store->put(shared, bytes(std::string(size, 'z')))));
    }
    auto const page = test::run(store->list("d/", list_options()));
    ASSERT_TRUE(page);
    EXPECT_FALSE(page->next);
    for (auto const& found : page->objects) {
        if (found.key.text().find(".tmp.") != std::string::npos) continue;
        auto const read = test::run(store->get(found.key, get_options()));
        ASSERT_TRUE(read) << found.key.text();
        auto const text = read->content.view();
        ASSERT_EQ(text.size(), size) << found.key.text();
        EXPECT_EQ(text.find_first_not_of(text.front()), text.npos) << found.key.text();
    }
}

}  // namespace
}  // namespace headwater
