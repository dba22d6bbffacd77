// Page after page, as the store continues them.
#include "src/log/listing.hpp"

namespace headwater {

task<std::optional<list_page>> listing::next()
{
    if (pages_ != 0 && !continuation_) co_return std::optional<list_page>();
    if (++pages_ > max_list_pages) {
        co_return error(errc::limit_exceeded, "max_list_pages reached while listing " + prefix_);
    }
    list_options how;
    how.delimiter = delimiter_;
    std::string const continuation = continuation_.value_or("");
    how.continuation = continuation;
    auto page = co_await store_.list(prefix_, how);
    if (!page) co_return page.error();
    continuation_ = page->next;
    co_return std::optional<list_page>(std::move(*page));
}

}  // namespace headwater
