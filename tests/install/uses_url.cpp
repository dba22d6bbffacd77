// Opens a store by its address: every adapter is linked, and so is all that they need.
#include <headwater/adapters/url.hpp>
#include <headwater/clock.hpp>
#include <headwater/random.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdlib>

int main()
{
    auto const time = headwater::make_system_clock();
    auto const chance = headwater::make_system_random();
    boost::asio::io_context io;
    auto const settings = headwater::process_environment();
    auto const store = headwater::open_store(io.get_executor(), *time, *chance, "memory:", settings);
    return store ? EXIT_SUCCESS : EXIT_FAILURE;
}
