// Reads one page of List Blobs. Pure.
// Stands between the transport's answer and the store's page.
#pragma once

#include "adapters/azure/answer_table.hpp"

#include <headwater/object_store.hpp>

#include <string_view>

namespace headwater::azure {

/// One page, and what it tells about the account.
class listing {
public:
    list_page page;
    bool ordered = true;  ///< False: this page was not in byte order (accounts with a hierarchical namespace).
};

/// `store_prefix` comes off every name. Rows that are not after `start_after` and directories are left out, so a page
/// may be empty and still have a next one. A common prefix that `start_after` is in stays: some of its keys may come
/// after.
result<listing> read_listing(call const& of, http::response const& answer, std::string_view store_prefix,
                             list_options const& options);

}  // namespace headwater::azure
