// What an answer says about the medium. This program's own fsync stands before the system's and can be told to fail on
// directories: a name is then visible, but a power loss would take it.
#include "tests/support/run.hpp"

#include <headwater/adapters/file.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct {
    bool fail = false;
    int directories = 0;
} syncs;

}  // namespace

extern "C" int fsync(int descriptor)
{
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
        ++syncs.directories;
        if (syncs.fail) {
            errno = EIO;
            return -1;
        }
    }
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace headwater {
namespace {

namespace fs = std::filesystem;

struct file_syncs : testing::Test {
    file_syncs()
    {
        root = fs::temp_directory_path() / ("headwater-sync-" + std::to_string(chance->next()));
        store = make_file_store({.root = root}, *time, *chance);
        EXPECT_TRUE(test::run(store->put_if_absent(object_key("d/old"), bytes("old"))));
    }
    ~file_syncs() override
    {
        syncs.fail = false;
        fs::remove_all(root);
    }

    // What `call` answers while directories cannot be synced, or can be.
    template <class Call>
    auto with_syncs(bool good, Call call)
    {
        syncs.fail = !good;
        syncs.directories = 0;
        auto answer = test::run(call());
        syncs.fail = false;
        return answer;
    }

    std::unique_ptr<headwater::clock> time = make_system_clock();
    std::unique_ptr<headwater::random> chance = make_system_random();
    fs::path root;
    std::unique_ptr<object_store> store;
};

TEST_F(file_syncs, a_create_that_finds_the_name_answers_only_once_the_name_is_synced)
{
    auto const create = [&] { return store->put_if_absent(object_key("d/new"), bytes("new")); };
    EXPECT_EQ(with_syncs(false, create).error(), errc::outcome_unknown);
    EXPECT_TRUE(fs::exists(root / "d/new")) << "visible, and the same request will find it";
    EXPECT_EQ(with_syncs(false, create).error(), errc::outcome_unknown);
    auto const settled = with_syncs(true, create);
    ASSERT_TRUE(settled);
    EXPECT_FALSE(settled->created);
    EXPECT_EQ(syncs.directories, 1);
}

TEST_F(file_syncs, an_update_that_lost_answers_only_once_the_winner_is_synced)
{
    auto const before = test::run(store->head(object_key("d/old"))).value().tag;
    auto const update = [&] { return store->put_if_match(object_key("d/old"), bytes("new"), before); };
    EXPECT_EQ(with_syncs(false, update).error(), errc::outcome_unknown);
    EXPECT_EQ(with_syncs(false, update).error(), errc::outcome_unknown);
    EXPECT_EQ(with_syncs(true, update).error(), errc::precondition_failed);
    EXPECT_EQ(syncs.directories, 1);
}

TEST_F(file_syncs, a_remove_of_nothing_answers_only_once_the_absence_is_synced)
{
    auto const remove = [&] { return store->remove(object_key("d/old")); };
    EXPECT_EQ(with_syncs(false, remove).error(), errc::outcome_unknown);
    EXPECT_EQ(with_syncs(false, remove).error(), errc::outcome_unknown);
    EXPECT_TRUE(with_syncs(true, remove));
    EXPECT_EQ(syncs.directories, 1);
}

TEST_F(file_syncs, a_store_that_is_not_synced_syncs_nothing)
{
    store = make_file_store({.root = root, .durability = file_durability::none}, *time, *chance);
    auto const create = [&] { return store->put_if_absent(object_key("d/old"), bytes("new")); };
    EXPECT_FALSE(with_syncs(false, create).value().created);
    EXPECT_EQ(syncs.directories, 0);
}

}  // namespace
}  // namespace headwater
