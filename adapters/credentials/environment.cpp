// The one home of getenv.
#include <headwater/adapters/credentials.hpp>

#include <cstdlib>

namespace headwater {

environment process_environment()
{
    return [](std::string_view name) -> std::optional<std::string> {
        char const* const value = std::getenv(std::string(name).c_str());
        return value ? std::optional<std::string>(value) : std::nullopt;
    };
}

}  // namespace headwater
