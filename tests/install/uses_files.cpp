// Makes a graph in the folder that is given, reads it back, and says where it stands. Links no OpenSSL.
#include <headwater/adapters/file.hpp>
#include <headwater/async.hpp>
#include <headwater/graph.hpp>
#include <headwater/reader.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

headwater::task<headwater::sequence> make_and_read(headwater::object_store& store, headwater::clock& time,
                                                   headwater::random& chance)
{
    headwater::init_options const options;
    auto const made = co_await headwater::init_graph(store, time, chance, options);
    if (!made) co_return made.error();
    headwater::reader main(store, "main", time);
    auto const now = co_await main.current();
    if (!now) co_return now.error();
    co_return now->seq();
}

}  // namespace

int main(int count, char** words)
{
    if (count != 2) return EXIT_FAILURE;
    auto const time = headwater::make_system_clock();
    auto const chance = headwater::make_system_random();
    auto const store = headwater::make_file_store({.root = words[1]}, *time, *chance);
    boost::asio::io_context io;
    int status = EXIT_FAILURE;
    auto work = make_and_read(*store, *time, *chance);
    headwater::async(io.get_executor(), std::move(work), [&](headwater::result<headwater::sequence> const& at) {
        if (!at) return void(std::fprintf(stderr, "%s\n", at.error().message().c_str()));
        std::printf("at seq %llu\n", static_cast<unsigned long long>(at->value()));
        status = EXIT_SUCCESS;
    });
    io.run();
    return status;
}
