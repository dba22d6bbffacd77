// One handler for each family of exceptions.
#include "tools/headwater/thrown.hpp"

#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

namespace headwater::cli {

namespace {

// What a person can do about it.
std::string advice_on(error_code const& code)
{
    if (code.category() != boost::system::system_category()) return {};
    if (code.value() == EMFILE) return "the limit of open files is too low, see `ulimit -n`";
    if (code.value() == ENFILE) return "this machine has too many files open";
    return {};
}

error refused_by_system(error_code const& code, std::string where)
{
    return {code, diagnostics(std::move(where), "", advice_on(code))};
}

// `epoll: Too many open files [system:24]` begins with what was being done.
std::string place_in(std::string_view what)
{
    auto const end = what.find(": ");
    return end == what.npos ? std::string() : std::string(what.substr(0, end));
}

error_code system_code(std::error_code const& code) { return {code.value(), boost::system::system_category()}; }

}  // namespace

error error_of_thrown()
{
    namespace errors = boost::system::errc;
    try {
        throw;
    } catch (failure const& known) {
        return known.what_failed();
    } catch (boost::system::system_error const& refused) {
        return refused_by_system(refused.code(), place_in(refused.what()));
    } catch (std::system_error const& refused) {
        return refused_by_system(system_code(refused.code()), place_in(refused.what()));
    } catch (std::bad_alloc const&) {
        return make_error_code(errors::not_enough_memory);
    } catch (std::exception const& other) {
        return {make_error_code(errors::state_not_recoverable), diagnostics(other.what())};
    } catch (...) {
        return make_error_code(errors::state_not_recoverable);
    }
}

}  // namespace headwater::cli
