// Puts a prefix before every key and takes it off every answer. Errors keep the full key: beside the store's address
// it names the object that a person has to look at.
#include <headwater/stores.hpp>

#include <utility>

namespace headwater {

namespace {

// The address of what lies below the prefix: without a slash at its end, as everywhere.
std::string join_address(std::string address, std::string_view prefix)
{
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    if (!prefix.empty()) {
        if (!address.ends_with(':')) address += '/';
        address += prefix;
    }
    return address;
}

class prefixed_store final : public object_store {
public:
    prefixed_store(object_store& next, std::string prefix)
        : next_(next), prefix_(std::move(prefix)), address_(join_address(next.address(), prefix_))
    {
    }

    task<object> get(object_key key, get_options options) override { return next_.get(below(key), options); }

    task<object_meta> head(object_key key) override
    {
        auto const whole = below(key);
        auto answer = co_await next_.head(whole);
        if (answer) answer->key = std::move(key);
        co_return answer;
    }

    task<put_answer> put(object_key key, bytes content) override { return next_.put(below(key), std::move(content)); }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        return next_.put_if_absent(below(key), std::move(content));
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        return next_.put_if_match(below(key), std::move(content), std::move(expected));
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        std::string start_after;
        if (!options.start_after.empty()) start_after = prefix_ + std::string(options.start_after);
        options.start_after = start_after;
        auto const whole = prefix_ + prefix;
        auto page = co_await next_.list(whole, options);
        if (!page) co_return page;
        for (auto& found : page->objects) {
            if (!found.key.text().starts_with(whole)) co_return strange("list", found.key.text());
            found.key = above(found.key);
        }
        for (auto& group : page->common_prefixes) {
            if (!group.starts_with(whole)) co_return strange("list", group);
            group.erase(0, prefix_.size());
        }
        co_return page;
    }

    task<remove_answer> remove(object_key key) override { return next_.remove(below(key)); }

    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        for (auto& each : keys) each = below(each);
        auto answer = co_await next_.remove_many(std::move(keys));
        if (!answer) co_return answer;
        for (auto& each : answer->failed) {
            if (!each.key.text().starts_with(prefix_)) co_return strange("remove_many", each.key.text());
            each.key = above(each.key);
        }
        co_return answer;
    }

    std::shared_ptr<retry_tokens> tokens() const override { return next_.tokens(); }
    store_capabilities capabilities() const override { return next_.capabilities(); }
    std::string const& address() const override { return address_; }

private:
    object_key below(object_key const& key) const { return object_key(prefix_ + key.text()); }
    object_key above(object_key const& key) const { return object_key(key.text().substr(prefix_.size())); }

    // A row of somebody else's: what else such a page says, or leaves out, cannot be believed.
    error strange(char const* operation, std::string const& name) const
    {
        diagnostics why(operation, name, "the store answered of a key that is not below the prefix it was asked for");
        why.store = next_.address();
        return {errc::protocol, std::move(why)};
    }

    object_store& next_;
    std::string const prefix_;
    std::string const address_;
};

}  // namespace

std::unique_ptr<object_store> make_prefixed_store(object_store& next, std::string prefix)
{
    return std::make_unique<prefixed_store>(next, std::move(prefix));
}

}  // namespace headwater
