// headwater presign: a URL that reads one object.
#include "tools/headwater/commands/commands.hpp"
#include "tools/headwater/print_parts.hpp"

#include <headwater/adapters/credentials.hpp>
#include <headwater/adapters/url.hpp>

#include <utility>

namespace headwater::cli {

task<void> perform(session& in, presign_arguments const& wanted)
{
    auto const settings = process_environment();
    object_key const key(wanted.key);
    auto const valid = std::chrono::floor<std::chrono::seconds>(wanted.expires);
    auto const url = co_await presign_get(in.executor(), in.time(), in.flags().graph, key, valid, settings);
    if (!url) co_return url.error();
    co_return in.answer(std::move(json_object().add("url", *url)).line(), *url + '\n', in.spent());
}

}  // namespace headwater::cli
