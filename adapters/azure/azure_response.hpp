// Reads the answers about one blob and checks what they promise: lengths, ranges, checksums. Pure.
// Stands between the transport's answers and the store's results; what is no success goes to answer_table.
#pragma once

#include "adapters/azure/answer_table.hpp"

#include <headwater/object_store.hpp>

namespace headwater::azure {

/// What an answer tells beside its content.
answer_info info_of(call const& of, http::response const& answer);

/// An answer that breaks its own promises is `protocol`. Content-MD5 is checked when a whole object carries it: damage
/// is `unavailable`, as reading again may help. Etags come with their quotes, as If-Match wants them, however the
/// service spelled them.
result<object> read_object(call const& of, http::response answer, get_options const& options);
result<object_meta> read_properties(call const& of, http::response const& answer);
result<put_answer> read_put(call const& of, http::response const& answer);
result<create_answer> read_create(call const& of, http::response const& answer);
result<update_answer> read_update(call const& of, http::response const& answer);
result<remove_answer> read_remove(call const& of, http::response const& answer);

/// The error of an object that is larger than was allowed, whether its body was read or not.
error too_large(call const& of, http::response const& answer, std::uint64_t max_bytes);
/// The rest of a cut read was refused: the object is another one now.
error changed_meanwhile(call const& of, http::response const& answer);

/// An etag as the service spells it in a field: the listing leaves the quotes out.
etag quoted(std::string_view text);

}  // namespace headwater::azure
