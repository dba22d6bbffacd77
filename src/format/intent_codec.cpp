// The intent's table: a record's members that a caller decides, and none that nobody would act on.
#include "src/format/codec.hpp"
#include "src/format/record_parts.hpp"

#include <headwater/intent.hpp>

namespace headwater {

namespace {

/// A list that may be left out.
template <class T, auto Access>
constexpr member<T> list(std::string_view name)
{
    auto each = required<T, Access>(name);
    each.is_required = false;
    return each;
}

constexpr member<intent> intent_members[] = {
    nullable<intent, &intent::actor>("actor"),       nullable<intent, &intent::schema>("schema"),
    required<intent, &intent::pins>("pins"),         list<intent, &intent::registrations>("registrations"),
    list<intent, &intent::tombstones>("tombstones"), list<intent, &intent::renames>("renames"),
    nullable<intent, &intent::origin>("lineage"),    nullable<intent, &intent::idempotency_key>("idempotency_key"),
};

}  // namespace

result<intent> decode_intent(std::string_view json)
{
    if (auto refusal = above(record_limit, json.size(), "intent")) return *std::move(refusal);
    json_reader in(json, json_reader::unknown_members::refused);
    intent value;
    if (read_members(in, intent_members, value) && in.at_end()) return value;
    return error(errc::invalid_argument, *in.failure("intent").why());
}

}  // namespace headwater
