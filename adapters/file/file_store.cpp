// The file adapter's port: yields to the executor, lets file_tree work, and says in errors which call it was.
#include "adapters/file/file_tree.hpp"
#include "adapters/local/listing.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <functional>

namespace headwater {

namespace {

// A lock is held for as long as a rename takes, and a sync of its folder.
constexpr std::chrono::milliseconds first_lock_wait{1};
constexpr std::chrono::milliseconds longest_lock_wait{20};

boost::asio::awaitable<void> yield() { co_await boost::asio::post(boost::asio::use_awaitable); }

class file_store final : public object_store {
public:
    file_store(file_options options, clock& time, random& chance)
        : time_(time),
          lock_timeout_(options.lock_timeout),
          tree_(std::move(options), chance),
          address_("file://" + tree_.root().string())
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
        auto ours = tree_.stage(key.text(), content, file::folders::made);
        if (!ours) co_return explain(ours.error(), "put", key.text());
        step const replace = [&] { return tree_.replace(*ours); };
        auto const written = co_await repeat_while_locked(replace);
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
        auto ours = tree_.stage(key.text(), content, file::folders::needed);
        bool const nowhere = !ours && ours.error() == errc::not_found;
        if (!ours && !nowhere) co_return explain(ours.error(), "put_if_match", key.text());
        result<file::outcome> ended = file::outcome::lost;
        if (!nowhere) {
            step const replace = [&] { return tree_.replace_if(*ours, expected); };
            ended = co_await repeat_while_locked(replace);
        }
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
        step const remove_it = [&] { return tree_.remove(key.text()); };
        auto const removed = co_await repeat_while_locked(remove_it);
        if (!removed) co_return explain(removed.error(), "remove", key.text());
        co_return remove_answer();
    }

    store_capabilities capabilities() const override { return {false, true, true, true}; }
    std::string const& address() const override { return address_; }

private:
    using step = std::function<result<file::outcome>()>;

    boost::asio::awaitable<result<file::outcome>> repeat_while_locked(step const& what)
    {
        auto const until = time_.since_boot() + lock_timeout_;
        for (auto wait = first_lock_wait;; wait = std::min(2 * wait, longest_lock_wait)) {
            auto const ended = what();
            if (!ended || *ended != file::outcome::locked) co_return ended;
            if (time_.since_boot() >= until) {
                co_return error(errc::unavailable, "lock_timeout: another process has been writing the same name for "
                                                       + std::to_string(lock_timeout_.count()) + " ms");
            }
            co_await time_.sleep_for(wait);
        }
    }

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

    clock& time_;
    std::chrono::milliseconds const lock_timeout_;
    file::file_tree tree_;
    std::string const address_;
};

}  // namespace

std::unique_ptr<object_store> make_file_store(file_options options, clock& time, random& chance)
{
    auto root = std::filesystem::absolute(options.root.empty() ? "." : options.root).lexically_normal();
    options.root = root.has_filename() ? root : root.parent_path();
    return std::make_unique<file_store>(std::move(options), time, chance);
}

}  // namespace headwater
