// headwater version: what this program is and what it writes.
#include "tools/headwater/commands/commands.hpp"

#include <headwater/record.hpp>
#include <headwater/version.hpp>

namespace headwater::cli {

result<void> print_version(output& to, bool json)
{
    if (!json) return to.write("headwater " HEADWATER_VERSION_STRING "\n");
    return to.write(R"({"version":")" HEADWATER_VERSION_STRING R"(","format":)" + std::to_string(format_version)
                    + "}\n");
}

}  // namespace headwater::cli
