// The command line's entry.
#include <headwater/version.hpp>

#include <cstdio>

int main()
{
    std::puts("headwater " HEADWATER_VERSION_STRING);
    return 0;
}
