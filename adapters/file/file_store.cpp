// The file adapter's port: yields to the executor, lets file_tree work, and says in errors which call it was.
#include "adapters/file/file_tree.hpp"
#include "adapters/local/listing.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace headwater {

namespace {

boost::asio::awaitable<void> yield() { co_await boost::asio::post(boost::asio::use_awaitable); }

class file_store final : public object_store {
public:
    file_store(file_options options, random& chance)
        : tree_(std::move(options), chance), address_("file://" + tree_.root().string())
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto answer = tree_.read(key.text(), options);
        if (!answer) co_return explain(answer.error(), "get", key.text());
        co_return answer;
    }

    task<object_meta> head(object_key key) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto answer = tree_.describe(key.text());
        if (!answer) co_return explain(answer.error(), "head", key.text());
        co_return answer;
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto const written = tree_.replace(key.text(), content);
        if (!written) co_return explain(written.error(), "put", key.text());
        co_return put_answer(file::file_tree::tag_of(content));
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto const ended = tree_.create(key.text(), content);
        if (!ended) co_return explain(ended.error(), "put_if_absent", key.text());
        create_answer answer;
        answer.created = *ended == file::outcome::written;
        if (answer.created) answer.tag = file::file_tree::tag_of(content);
        co_return answer;
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        if (expected.empty()) {
            co_return explain(error(errc::invalid_argument, "the etag is empty"), "put_if_match", key.text());
        }
        auto const ended = tree_.replace_if(key.text(), content, expected);
        if (!ended) co_return explain(ended.error(), "put_if_match", key.text());
        if (*ended == file::outcome::lost) {
            co_return explain(error(errc::precondition_failed), "put_if_match", key.text());
        }
        update_answer answer;
        answer.tag = file::file_tree::tag_of(content);
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        co_await yield();
        if (auto wrong = local::refuse(options)) co_return *wrong;
        auto page = page_of(prefix, options);
        if (!page) co_return explain(page.error(), "list", prefix);
        co_return page;
    }

    task<remove_answer> remove(object_key key) override
    {
        co_await yield();
        if (auto wrong = local::refuse(key)) co_return *wrong;
        auto const removed = tree_.remove(key.text());
        if (!removed) co_return explain(removed.error(), "remove", key.text());
        co_return remove_answer();
    }

    store_capabilities capabilities() const override { return {false, true, true, true}; }
    std::string const& address() const override { return address_; }

private:
    error explain(error const& what, char const* operation, std::string_view key) const
    {
        return with(what, [&](diagnostics& why) {
            why.operation = operation;
            why.key = key;
            why.store = address_;
        });
    }

    result<list_page> page_of(std::string const& prefix, list_options const& options) const
    {
        auto const keys = tree_.keys(prefix, std::max(options.start_after, options.continuation));
        if (!keys) return keys.error();
        auto const key_of = [](std::string const& key) -> std::string const& { return key; };
        auto const enough = std::size_t(options.max_keys) + 1;
        auto rows = local::cut_page(local::rows_of(*keys, key_of, prefix, options, enough), options.max_keys);
        list_page page;
        page.next = std::move(rows.next);
        for (auto& row : rows.rows) {
            if (row.is_prefix) {
                page.common_prefixes.push_back(std::move(row.name));
                continue;
            }
            auto meta = tree_.row(row.name);
            if (!meta && meta.error() == errc::not_found) continue;  // Removed since its name was read.
            if (!meta) return meta.error();
            page.objects.push_back(std::move(*meta));
        }
        return page;
    }

    file::file_tree tree_;
    std::string const address_;
};

}  // namespace

std::unique_ptr<object_store> make_file_store(file_options options, random& chance)
{
    auto root = std::filesystem::absolute(options.root.empty() ? "." : options.root).lexically_normal();
    options.root = root.has_filename() ? root : root.parent_path();
    return std::make_unique<file_store>(std::move(options), chance);
}

}  // namespace headwater
