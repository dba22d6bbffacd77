// The Azure store: builds, authorises, sends, reads. The decisions are in azure_request and answer_table.
#include "adapters/azure/azure_store.hpp"

#include "adapters/azure/answer_table.hpp"
#include "adapters/azure/azure_listing.hpp"
#include "adapters/azure/azure_request.hpp"
#include "adapters/azure/azure_response.hpp"
#include "adapters/http/cut_read.hpp"
#include "adapters/http/date.hpp"

#include <headwater/retry_tokens.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace headwater::azure {

namespace {

http::exchange_error not_sent(error why) { return {http::broken::nothing_sent, std::move(why)}; }

class azure_store final : public object_store {
public:
    azure_store(std::unique_ptr<http::transport> transport, clock& time, location at,
                std::shared_ptr<azure_provider> who)
        : transport_(std::move(transport)), time_(time), at_(std::move(at)), who_(std::move(who))
    {
    }

    task<object> get(object_key key, get_options options) override;
    task<object_meta> head(object_key key) override;
    task<put_answer> put(object_key key, bytes content) override;
    task<create_answer> put_if_absent(object_key key, bytes content) override;
    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override;
    task<list_page> list(std::string prefix, list_options options) override;
    task<remove_answer> remove(object_key key) override;

    std::shared_ptr<retry_tokens> tokens() const override { return tokens_; }
    store_capabilities capabilities() const override
    {
        store_capabilities out;
        out.ordered_listing = ordered_;
        out.conditional_create = true;
        out.conditional_update = true;
        return out;
    }
    std::string const& address() const override { return at_.address; }

private:
    task<http::response> exchange(call& of, result<http::request> const& plain);
    boost::asio::awaitable<http::exchange_result> converse(call& of, result<http::request> const& plain);
    std::optional<error> use(std::shared_ptr<azure_credentials const> const& who);

    std::unique_ptr<http::transport> transport_;
    clock& time_;
    location at_;
    std::shared_ptr<azure_provider> who_;
    std::shared_ptr<azure_credentials const> known_;  ///< What `rights_` was made of.
    std::optional<authority> rights_;
    std::chrono::milliseconds clock_correction_{0};  ///< The service's clock minus ours, once it refused a signature.
    std::shared_ptr<retry_tokens> const tokens_ = std::make_shared<retry_tokens>();
    bool ordered_ = true;  ///< Until a page shows otherwise.
};

// Makes the right to ask of other credentials; what is wrong with them.
std::optional<error> azure_store::use(std::shared_ptr<azure_credentials const> const& who)
{
    if (known_ == who) return std::nullopt;
    auto made = authority::make(at_.account, *who);
    if (!made) return made.error();
    rights_.emplace(*std::move(made));
    known_ = who;
    return std::nullopt;
}

task<http::response> azure_store::exchange(call& of, result<http::request> const& plain)
{
    auto answer = co_await converse(of, plain);
    if (!answer) co_return breakdown(of, answer.error());
    co_return *std::move(answer);
}

// One request, sent; again only as `after` says.
boost::asio::awaitable<http::exchange_result> azure_store::converse(call& of, result<http::request> const& plain)
{
    if (!plain) co_return not_sent(plain.error());
    for (of.corrected = {};;) {
        auto const who = co_await who_->current();
        if (!who) co_return not_sent(who.error());
        if (auto const wrong = use(*who)) co_return not_sent(*wrong);
        auto const signed_at = time_.now() + clock_correction_;
        auto const ready = rights_->authorize(*plain, signed_at);
        ++of.attempts;
        auto answer = co_await transport_->send(ready);
        auto const vouched = rights_->signs_time() ? std::optional(signed_at) : std::nullopt;
        auto const step = after(of, answer, vouched);
        of.corrected[static_cast<std::size_t>(step)] = true;
        switch (step) {
        case next_step::read:
        case next_step::fail: co_return answer;
        case next_step::send_again: break;
        case next_step::renew:
            if (!who_->refused(*who)) co_return answer;
            break;
        case next_step::sign_again:
            // Said, not added: of several calls at once each finds the same clock wrong.
            clock_correction_ = *http::parse_http_date(answer->find("date")) - time_.now();
            break;
        }
    }
}

task<object> azure_store::get(object_key key, get_options options)
{
    call of(operation::get, key.text(), at_.address);
    http::cut_read whole(options.range);
    auto plain = get_blob(at_, key, options);
    for (;;) {
        auto answer = co_await converse(of, plain);
        if (!answer && whole.keep(answer.error())) {
            plain = get_rest(at_, key, whole.rest(), whole.tag(), options);
            continue;
        }
        if (!answer && answer.error().why == errc::limit_exceeded) {
            co_return too_large(of, answer.error().part, options.max_bytes);
        }
        if (!answer) co_return breakdown(of, answer.error());
        if (whole.ends_with(*answer)) co_return changed_meanwhile(of, *answer);
        co_return read_object(of, whole.join(*std::move(answer)), options);
    }
}

task<object_meta> azure_store::head(object_key key)
{
    call of(operation::head, key.text(), at_.address);
    auto const plain = get_properties(at_, key);
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    co_return read_properties(of, *answer);
}

task<put_answer> azure_store::put(object_key key, bytes content)
{
    call of(operation::put, key.text(), at_.address);
    auto const plain = put_blob(at_, key, std::move(content));
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    co_return read_put(of, *answer);
}

task<create_answer> azure_store::put_if_absent(object_key key, bytes content)
{
    call of(operation::create, key.text(), at_.address);
    auto const plain = create_blob(at_, key, std::move(content));
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    co_return read_create(of, *answer);
}

task<update_answer> azure_store::put_if_match(object_key key, bytes content, etag expected)
{
    call of(operation::update, key.text(), at_.address);
    auto const plain = replace_blob(at_, key, std::move(content), expected);
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    co_return read_update(of, *answer);
}

task<list_page> azure_store::list(std::string prefix, list_options options)
{
    call of(operation::list, prefix, at_.address);
    auto const plain = list_blobs(at_, prefix, options);
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    auto read = read_listing(of, *answer, at_.prefix, options);
    if (!read) co_return read.error();
    ordered_ = ordered_ && read->ordered;
    co_return std::move(read->page);
}

task<remove_answer> azure_store::remove(object_key key)
{
    call of(operation::remove, key.text(), at_.address);
    auto const plain = delete_blob(at_, key);
    auto const answer = co_await exchange(of, plain);
    if (!answer) co_return answer.error();
    co_return read_remove(of, *answer);
}

}  // namespace

std::unique_ptr<object_store> make_store(std::unique_ptr<http::transport> transport, clock& time, location at,
                                         std::shared_ptr<azure_provider> who)
{
    return std::make_unique<azure_store>(std::move(transport), time, std::move(at), std::move(who));
}

}  // namespace headwater::azure
