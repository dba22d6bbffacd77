// Page after page, as the store continues them.
#include "src/log/listing.hpp"

namespace headwater {

// Where pages come in key order, a page begins after the one before. A store that finds out that its own do not says so
// in its capabilities, with the page that shows it.
bool listing::follows(list_page const& page)
{
    if (page.objects.empty()) return true;
    bool const goes_on = page.objects.front().key.text() > last_key_;
    last_key_ = page.objects.back().key.text();
    return goes_on || !store_.capabilities().ordered_listing;
}

task<std::optional<list_page>> listing::next()
{
    if (pages_ != 0 && !continuation_) co_return std::optional<list_page>();
    if (++pages_ > max_list_pages) {
        co_return error(errc::limit_exceeded, "max_list_pages reached while listing " + prefix_);
    }
    list_options how;
    how.delimiter = delimiter_;
    how.max_keys = max_keys_;
    std::string const continuation = continuation_.value_or("");
    how.continuation = continuation;
    auto page = co_await store_.list(prefix_, how);
    if (!page) co_return page.error();
    if (page->next && !circle_.goes_on(*page->next)) {
        co_return error(errc::protocol,
                        diagnostics("list", prefix_, "the pages of the listing lead back to one before"));
    }
    if (!follows(*page)) {
        co_return error(errc::protocol,
                        diagnostics("list", prefix_,
                                    "a page of the listing does not begin after the one before it; if this store lists "
                                    "in no order, say so: HEADWATER_LISTING=unordered, s3_options::ordered_listing"));
    }
    continuation_ = page->next;
    co_return std::optional<list_page>(std::move(*page));
}

}  // namespace headwater
