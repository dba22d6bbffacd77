// Two threads run one io_context; each client keeps to a strand and shares nothing but the store's content. For the
// thread sanitizer above all: no global, no thread of its own, nothing touched off the strand.
#include "tests/faults/rig.hpp"
#include "tests/support/builders.hpp"

#include <headwater/adapters/file.hpp>
#include <headwater/graph.hpp>
#include <headwater/publisher.hpp>
#include <headwater/reader.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

namespace headwater::faults {

namespace {

namespace asio = boost::asio;

constexpr std::uint64_t clients = 4;
constexpr std::uint64_t commits_each = 10;

using maker = std::function<std::unique_ptr<object_store>(asio::any_io_executor, clock&, random&)>;

// Everything that one client has, on its strand.
class strand_client {
public:
    strand_client(asio::io_context& io, maker const& connect, std::uint64_t id)
        : id_(id), strand_(asio::make_strand(io)), chance_(make_seeded_random(id))
    {
        adapter_ = connect(strand_, *time_, *chance_);
        settling_ = make_settling_store(*adapter_, *time_, *chance_, {});
        store_ = make_retrying_store(*settling_, *time_, *chance_, {});
    }

    template <class T>
    void start(asio::awaitable<T> work)
    {
        asio::co_spawn(strand_, std::move(work), [this](std::exception_ptr thrown) {
            if (!thrown) return;
            try {
                std::rethrow_exception(thrown);
            } catch (std::exception const& e) {
                trouble_ = e.what();
            }
        });
    }

    asio::awaitable<void> found()
    {
        init_options const options;
        auto const made = co_await init_graph(*store_, *time_, *chance_, options);
        if (!made) trouble_ = made.error().message();
    }

    asio::awaitable<void> publish_all()
    {
        publisher writer(*store_, "main", *time_, *chance_);
        for (std::uint64_t i = 1; i <= commits_each; ++i) {
            publisher::plan const wish = [this, i](snapshot const&) { return wish_for(i); };
            auto const receipt = co_await writer.publish(wish);
            if (!receipt) trouble_ = receipt.error().message();
            (void)co_await writer.upkeep();
        }
    }

    asio::awaitable<void> read_all()
    {
        reader main(*store_, "main", *time_);
        for (std::uint64_t i = 0; i < commits_each; ++i) {
            auto const now = co_await main.current();
            if (!now) {
                trouble_ = now.error().message();
                continue;
            }
            EXPECT_GE(now->seq().value(), newest_);  // Time goes forward only.
            newest_ = now->seq().value();
            tables_ = now->heads().size();
        }
    }

    std::string const& trouble() const { return trouble_; }
    std::uint64_t newest() const { return newest_; }
    std::size_t tables() const { return tables_; }

private:
    result<intent> wish_for(std::uint64_t i) const
    {
        auto const key = "node:T" + std::to_string(id_);
        auto const who = test::table(id_ + 1);
        if (i == 1) return test::a_first_version(who, key);
        intent out;
        out.pins.push_back(test::a_pin(who, key, i));
        return out;
    }

    std::uint64_t id_;
    asio::strand<asio::io_context::executor_type> strand_;
    std::unique_ptr<clock> time_ = make_system_clock();
    std::unique_ptr<random> chance_;
    std::unique_ptr<object_store> adapter_;
    std::unique_ptr<object_store> settling_;
    std::unique_ptr<object_store> store_;
    std::string trouble_;
    std::uint64_t newest_ = 0;
    std::size_t tables_ = 0;
};

void run_on_two_threads(asio::io_context& io)
{
    io.restart();
    std::thread other([&io] { io.run(); });
    io.run();
    other.join();
}

// Each client publishes, with another beside it that reads; at the end a fresh one sees every commit of all.
void publish_and_read(maker const& connect)
{
    asio::io_context io{2};
    strand_client founder(io, connect, 100);
    founder.start(founder.found());
    run_on_two_threads(io);
    ASSERT_EQ(founder.trouble(), "");

    std::vector<std::unique_ptr<strand_client>> all;
    for (std::uint64_t i = 0; i < clients; ++i) {
        auto& writer = *all.emplace_back(std::make_unique<strand_client>(io, connect, i));
        writer.start(writer.publish_all());
        auto& watcher = *all.emplace_back(std::make_unique<strand_client>(io, connect, 50 + i));
        watcher.start(watcher.read_all());
    }
    run_on_two_threads(io);
    for (auto const& each : all) EXPECT_EQ(each->trouble(), "");

    founder.start(founder.read_all());
    run_on_two_threads(io);
    EXPECT_EQ(founder.trouble(), "");
    EXPECT_EQ(founder.newest(), clients * commits_each);
    EXPECT_EQ(founder.tables(), clients);
}

struct threads : testing::TestWithParam<wire_kind> {};

INSTANTIATE_TEST_SUITE_P(wires, threads, testing::ValuesIn(all_wires()),
                         [](auto const& one) { return to_string(one.param); });

TEST_P(threads, clients_on_strands_share_a_graph_over_the_network)
{
    auto const kind = GetParam();
    test::fault_server server(kind.speaks, identity_for(kind));
    publish_and_read([&](asio::any_io_executor executor, clock& time, random&) {
        rig_settings settings;
        settings.url = server.url();
        return connect(kind, std::move(executor), time, server.account(), std::move(settings));
    });
}

TEST(threads_on_files, clients_on_strands_share_a_graph)
{
    auto const root = testing::TempDir() + "headwater_threads_" + std::to_string(::getpid());
    publish_and_read([&](asio::any_io_executor const&, clock& time, random& chance) {
        return make_file_store({.root = root, .durability = file_durability::none}, time, chance);
    });
    std::filesystem::remove_all(root);
}

}  // namespace

}  // namespace headwater::faults
