// intent_check: what an intent may not say, whatever the state is. Pure. Writers alone ask: what is stored already is
// read as it is.
#pragma once

#include <headwater/error.hpp>
#include <headwater/intent.hpp>

namespace headwater {

/// `invalid_argument`, with the JSON path: a table that would have no name, no place or no owner.
result<void> check_names(intent const& wanted);
/// The same for an idempotency key: an empty one, a variable that nobody set, would be everybody's.
result<void> check_idempotency_key(intent const& wanted);

}  // namespace headwater
