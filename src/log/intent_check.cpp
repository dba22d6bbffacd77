// One look at each name that a commit would bring in; those of live tables are compared with the heads anyway.
#include "src/log/intent_check.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

namespace {

error empty_name(std::string const& path) { return {errc::invalid_argument, path + ": must not be empty"}; }

std::string element_path(std::string_view list, std::size_t index, std::string_view member)
{
    return "$." + std::string(list) + '[' + std::to_string(index) + "]." + std::string(member);
}

/// `name(element)` is the text, or null if the element has none.
template <class T, class Name>
result<void> each_named(std::vector<T> const& list, std::string_view list_name, std::string_view member, Name name)
{
    for (std::size_t at = 0; at != list.size(); ++at) {
        std::string const* const text = name(list[at]);
        if (text && text->empty()) return empty_name(element_path(list_name, at, member));
    }
    return {};
}

}  // namespace

result<void> check_names(intent const& wanted)
{
    auto const key = [](registration const& each) { return &each.table_key; };
    auto const location = [](registration const& each) { return &each.location; };
    auto const new_key = [](rename const& each) { return &each.to; };
    auto const owner = [](pin_change const& each) {
        return each.version.table_branch ? &*each.version.table_branch : nullptr;
    };
    for (auto const& checked : {each_named(wanted.registrations, "registrations", "table_key", key),
                                each_named(wanted.registrations, "registrations", "location", location),
                                each_named(wanted.renames, "renames", "to", new_key),
                                each_named(wanted.pins, "pins", "table_branch", owner)}) {
        if (!checked) return checked.error();
    }
    return {};
}

result<void> check_idempotency_key(intent const& wanted)
{
    if (wanted.idempotency_key && wanted.idempotency_key->empty()) return empty_name("$.idempotency_key");
    return {};
}

}  // namespace headwater
