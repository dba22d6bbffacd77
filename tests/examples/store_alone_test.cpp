// The S3 store on its own, without a graph: what an Asio program may do with it. Each example is run against a server
// that checks signatures; the first is the README's, and the test fails when the README shows other code than this.
#include "tests/examples/readme.hpp"
#include "tests/servers/fault_server.hpp"

#include <headwater/adapters/s3.hpp>
#include <headwater/async.hpp>
#include <headwater/clock.hpp>
#include <headwater/stores.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

// README begins
// A line with a key comes in, the object goes out: an S3 store in an Asio server, one coroutine for each client.
asio::awaitable<void> answer(tcp::socket client, headwater::object_store& store)
{
    std::string line;
    auto buffer = asio::dynamic_buffer(line);
    auto const length = co_await asio::async_read_until(client, buffer, '\n', asio::use_awaitable);
    headwater::object_key const key(line.substr(0, length - 1));
    headwater::get_options const whole;
    auto const found = co_await store.get(key, whole);
    auto const text = found ? std::string(found->content.view()) : found.error().message();
    co_await asio::async_write(client, asio::buffer(text), asio::use_awaitable);
}
// README ends

asio::awaitable<void> serve(tcp::acceptor& door, headwater::object_store& store)
{
    for (;;) {
        auto client = co_await door.async_accept(asio::use_awaitable);
        asio::co_spawn(door.get_executor(), answer(std::move(client), store), asio::detached);
    }
}

// A callback. It runs on the executor that the task was started on.
void read_then(asio::any_io_executor executor, headwater::object_store& store, headwater::object_key key,
               std::function<void(std::string)> told)
{
    headwater::get_options const whole;
    auto const finish = [told = std::move(told)](headwater::result<headwater::object> read) {
        told(read ? std::string(read->content.view()) : read.error().message());
    };
    headwater::async(std::move(executor), store.get(std::move(key), whole), finish);
}

// A future, for a thread that may block. The store itself is used on its executor alone.
std::future<headwater::result<headwater::create_answer>> create_later(asio::any_io_executor executor,
                                                                      headwater::object_store& store,
                                                                      headwater::object_key key, std::string content)
{
    headwater::bytes what(std::move(content));
    return headwater::async(std::move(executor), store.put_if_absent(std::move(key), std::move(what)),
                            asio::use_future);
}

// A deadline: whichever ends first cancels the other. The connection of a cancelled request is closed, the rest stays.
headwater::task<headwater::object> read_within(headwater::object_store& store, headwater::object_key key,
                                               std::chrono::milliseconds limit)
{
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer deadline(co_await asio::this_coro::executor, limit);
    headwater::get_options const whole;
    auto reading = store.get(std::move(key), whole);
    auto waiting = deadline.async_wait(asio::use_awaitable);
    auto racing = std::move(reading) || std::move(waiting);
    auto first = co_await std::move(racing);
    if (auto* const read = std::get_if<0>(&first)) co_return std::move(*read);
    co_return headwater::error(headwater::errc::unavailable, "no answer in time");
}

// Counting: a decorator over the store, and the same calls.
headwater::task<headwater::cost> count_reads(headwater::object_store& store, headwater::object_key key)
{
    headwater::meter spent;
    auto const counted = headwater::make_metered_store(store, spent);
    headwater::get_options const whole;
    for (int i = 0; i != 3; ++i) {
        auto const read = co_await counted->get(key, whole);
        if (!read) co_return read.error();
    }
    co_return spent.total();
}

// --- each of them, run -----------------------------------------------------------------------------------------------

class store_alone : public testing::Test {
protected:
    headwater::test::fault_server server{headwater::test::dialect::s3};
    std::unique_ptr<headwater::clock> time = headwater::make_system_clock();
    headwater::object_key const hello{"greetings/hello"};

    store_alone() { server.put(hello.text(), "good morning"); }

    std::unique_ptr<headwater::object_store> connect(asio::any_io_executor executor)
    {
        headwater::s3_options options;
        options.bucket = server.account().bucket;
        options.endpoint = server.url();
        headwater::aws_credentials const who{server.account().id, server.account().secret, ""};
        return headwater::make_s3_store(std::move(executor), *time, options, who).value();
    }
};

// Until `work` has ended: a kept connection is no reason to stay.
template <class T>
T run_alone(asio::io_context& io, asio::awaitable<T> work)
{
    std::optional<T> out;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr thrown, T value) {
        io.stop();
        if (thrown) std::rethrow_exception(thrown);
        out = std::move(value);
    });
    io.restart();
    io.run();
    return std::move(out).value();
}

asio::awaitable<std::string> ask(tcp::endpoint where, std::string line)
{
    tcp::socket to(co_await asio::this_coro::executor);
    co_await to.async_connect(where, asio::use_awaitable);
    co_await asio::async_write(to, asio::buffer(line), asio::use_awaitable);
    std::string out;
    auto buffer = asio::dynamic_buffer(out);
    boost::system::error_code ended;
    auto token = asio::redirect_error(asio::use_awaitable, ended);
    co_await asio::async_read(to, buffer, std::move(token));
    co_return out;
}

TEST_F(store_alone, answers_the_clients_of_a_server)
{
    asio::io_context io(1);
    auto const store = connect(io.get_executor());
    tcp::acceptor door(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    asio::co_spawn(io, serve(door, *store), asio::detached);
    EXPECT_EQ(run_alone(io, ask(door.local_endpoint(), "greetings/hello\n")), "good morning");
    EXPECT_TRUE(run_alone(io, ask(door.local_endpoint(), "greetings/none\n")).starts_with("not found"));
}

TEST_F(store_alone, calls_back)
{
    asio::io_context io(1);
    auto const store = connect(io.get_executor());
    std::string told;
    read_then(io.get_executor(), *store, hello, [&](std::string text) {
        told = std::move(text);
        io.stop();
    });
    EXPECT_EQ(told, "");  // Nothing happens before the executor runs.
    io.run();
    EXPECT_EQ(told, "good morning");
}

TEST_F(store_alone, gives_a_future)
{
    asio::thread_pool pool(1);
    auto const store = connect(pool.get_executor());
    headwater::object_key const fresh("greetings/new");
    EXPECT_TRUE(create_later(pool.get_executor(), *store, fresh, "good day").get()->created);
    EXPECT_FALSE(create_later(pool.get_executor(), *store, fresh, "good night").get()->created);
    EXPECT_EQ(server.content(fresh.text()), "good day");
    pool.stop();
    pool.join();
}

TEST_F(store_alone, is_cancelled_by_a_deadline_and_goes_on)
{
    asio::io_context io(1);
    auto const store = connect(io.get_executor());
    headwater::test::deed slow;
    slow.waits = 1h;
    server.next({slow});
    auto const late = run_alone(io, read_within(*store, hello, 50ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), headwater::errc::unavailable);
    auto const in_time = run_alone(io, read_within(*store, hello, 1min));
    ASSERT_TRUE(in_time) << in_time.error().message();
    EXPECT_EQ(in_time->content.view(), "good morning");
}

TEST_F(store_alone, counts_its_requests)
{
    asio::io_context io(1);
    auto const store = connect(io.get_executor());
    auto const spent = run_alone(io, count_reads(*store, hello));
    ASSERT_TRUE(spent) << spent.error().message();
    EXPECT_EQ(spent->requests, 3u);
    EXPECT_EQ(spent->rounds, 3u);
    EXPECT_EQ(spent->bytes_read, 3 * std::string("good morning").size());
    EXPECT_EQ(server.log().size(), 3u);
}

TEST_F(store_alone, readme_shows_this_very_code)
{
    headwater::test::expect_in_readme("tests/examples/store_alone_test.cpp");
}

}  // namespace
