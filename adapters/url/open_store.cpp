// Makes the adapter that an address asks for.
#include <headwater/adapters/url.hpp>

#include "adapters/url/place.hpp"
#include "adapters/url/transport_choice.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace headwater {

namespace {

/// One overload for each kind of place.
struct opener {
    boost::asio::any_io_executor executor;
    clock& time;
    random& chance;
    environment const& settings;

    using opened = result<std::unique_ptr<object_store>>;

    opened operator()(memory_options const& options) const { return make_memory_store(time, options); }
    opened operator()(file_options options) const
    {
        std::error_code gone;
        (void)std::filesystem::absolute(options.root, gone);
        if (gone) {
            return error(errc::configuration,
                         "the path " + options.root.string()
                             + " is relative, and the working directory cannot be read: " + gone.message());
        }
        return make_file_store(std::move(options), time, chance);
    }
    opened operator()(s3_options options) const
    {
        auto chosen = url::transport_from(settings);
        if (!chosen) return chosen.error();
        options.http.transport = *std::move(chosen);
        auto found = default_aws_provider(executor, time, settings, options.http);
        if (!found) return found.error();
        return make_s3_store(executor, time, std::move(options), *std::move(found));
    }
    opened operator()(azure_options options) const
    {
        auto chosen = url::transport_from(settings);
        if (!chosen) return chosen.error();
        options.http.transport = *std::move(chosen);
        auto found = default_azure_provider(executor, time, settings, options.http);
        if (!found) return found.error();
        return make_azure_store(executor, time, std::move(options), *std::move(found));
    }
};

}  // namespace

result<std::unique_ptr<object_store>> open_store(boost::asio::any_io_executor executor, clock& time, random& chance,
                                                 std::string_view address, environment const& settings)
{
    auto where = url::locate(address, settings);
    if (!where) return where.error();
    return std::visit(opener{std::move(executor), time, chance, settings}, *std::move(where));
}

}  // namespace headwater
