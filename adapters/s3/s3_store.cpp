// The S3 store: build, sign, send, read. Each call is one request, but for what cannot repeat
// a write (STORE section 2): a stale connection on a read, the rest of a body that was cut, the region, the clock,
// ended credentials, the spelling of an etag in If-Match.
#include "adapters/s3/s3_store.hpp"

#include "adapters/credentials/sigv4.hpp"
#include "adapters/http/cut_read.hpp"
#include "adapters/http/date.hpp"
#include "adapters/s3/s3_address.hpp"
#include "adapters/s3/s3_request.hpp"
#include "adapters/s3/s3_response.hpp"

#include <headwater/retry_tokens.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headwater::s3 {

namespace {

/// How the store wants an etag in If-Match. Amazon takes it as it gave it; Ceph RGW compares with the text in the
/// quotes.
enum class etag_form { unknown, as_given, bare };

/// One call of the port on its way.
struct errand {
    errand(call kind, std::string_view name, std::string_view subject) : what(kind), operation(name), key(subject) {}

    call what;
    std::string_view operation;
    std::string_view key;
    std::uint32_t attempts = 0;
    std::array<bool, 5> corrected{};  ///< By resend: each correction is made once.
};

error too_many() { return {errc::invalid_argument, "remove_many takes at most max_remove_keys (1000) keys"}; }

class s3_store final : public object_store {
public:
    s3_store(transport_maker make, clock& time, s3_options options, std::shared_ptr<aws_provider> who,
             s3::address where)
        : make_(std::move(make)),
          time_(time),
          options_(std::move(options)),
          who_(std::move(who)),
          signer_(options_.region),
          where_(where.base, options_.prefix, options_.checksum),
          payload_(options_.unsigned_payload && where.where.tls ? credentials::payload::unsigned_body
                                                                : credentials::payload::hashed),
          given_(where.text),
          address_(std::move(where)),
          wire_(make_(address_.where)),
          ordered_(options_.ordered_listing && !is_directory_bucket(options_.bucket))
    {
    }

    task<object> get(object_key key, get_options options) override
    {
        errand it(call::read, "get", key.text());
        auto bad = check_key(where_, key.text());
        if (!bad) bad = check(options);
        if (bad) co_return tell(*bad, it);
        http::cut_read whole(options.range);
        auto request = get_request(where_, key.text(), options);
        for (;;) {
            auto got = co_await converse(request, it);
            if (!got && whole.keep(got.error())) {
                request = rest_request(where_, key.text(), whole.rest(), whole.tag(), options);
                it.corrected = {};
                continue;
            }
            if (!got && got.error().why == errc::limit_exceeded) {
                co_return tell(too_large(got.error().part, options.max_bytes), it);
            }
            if (!got) co_return tell(to_error(it.what, got.error()), it);
            if (whole.ends_with(*got)) co_return tell(changed_meanwhile(*got), it);
            co_return finish(read_object(whole.join(*std::move(got)), options), it);
        }
    }

    task<object_meta> head(object_key key) override
    {
        errand it(call::head, "head", key.text());
        if (auto bad = check_key(where_, key.text())) co_return tell(*bad, it);
        auto const request = head_request(where_, key.text());
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        co_return finish(read_head(*answer, key), it);
    }

    task<put_answer> put(object_key key, bytes content) override
    {
        errand it(call::write, "put", key.text());
        if (auto bad = check_key(where_, key.text())) co_return tell(*bad, it);
        auto const request = put_request(where_, key.text(), std::move(content));
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        co_return finish(read_put(*answer), it);
    }

    task<create_answer> put_if_absent(object_key key, bytes content) override
    {
        errand it(call::create, "put_if_absent", key.text());
        if (auto bad = check_key(where_, key.text())) co_return tell(*bad, it);
        auto const request = create_request(where_, key.text(), std::move(content));
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        co_return finish(read_create(*answer), it);
    }

    task<update_answer> put_if_match(object_key key, bytes content, etag expected) override
    {
        errand it(call::update, "put_if_match", key.text());
        auto bad = check_key(where_, key.text());
        if (!bad) bad = check_etag(expected.text());
        if (bad) co_return tell(*bad, it);

        auto const bare = bare_etag(expected.text());
        bool const try_bare_first = bare && form_ == etag_form::bare;
        std::string_view const first = try_bare_first ? *bare : std::string_view(expected.text());
        auto answer = co_await update(it, content, first);
        if (answer) answer->bare_etag = try_bare_first;
        if (answer && bare && !try_bare_first) form_ = etag_form::as_given;
        if (answer || !bare || form_ != etag_form::unknown || !is_mismatch(answer.error())) co_return answer;

        // The etag is old, or the store wants its bare text. A store might ignore a spelling that it cannot read and
        // replace the object, so the bare text is sent only where the etag is known to be the current one.
        auto current = co_await head(key);
        it.attempts += attempts_of(current);
        if (!current && !(current.error() == errc::not_found)) co_return tell(current.error(), it);
        if (!current || current->tag != expected) co_return tell(answer.error(), it);
        answer = co_await update(it, content, *bare);
        if (!answer) co_return answer;
        form_ = etag_form::bare;
        answer->bare_etag = true;
        co_return answer;
    }

    task<list_page> list(std::string prefix, list_options options) override
    {
        errand it(call::list, "list", prefix);
        if (auto bad = check(where_, prefix, options)) co_return tell(*bad, it);
        auto const request = list_request(where_, prefix, sent_options(options));
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        auto read = read_list(*answer, where_, options);
        if (!read) co_return tell(read.error(), it);
        ordered_ = ordered_ && read->ordered;
        co_return finish(result<list_page>(std::move(read->page)), it);
    }

    task<remove_answer> remove(object_key key) override
    {
        errand it(call::remove, "remove", key.text());
        if (auto bad = check_key(where_, key.text())) co_return tell(*bad, it);
        auto const request = remove_request(where_, key.text());
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        co_return finish(read_remove(*answer), it);
    }

    task<remove_many_answer> remove_many(std::vector<object_key> keys) override
    {
        errand it(call::remove, "remove_many", "");
        if (keys.size() > max_remove_keys) co_return tell(too_many(), it);
        remove_many_answer whole;
        whole.info.attempts = 0;
        for (auto const& each : keys) {
            it.key = each.text();
            if (auto bad = check_key(where_, each.text())) co_return tell(*bad, it);
        }
        auto const odd = std::ranges::partition(keys, [](auto const& each) { return fits_xml(each.text()); });
        for (auto const& each : odd) {
            auto const gone = co_await remove(each);
            whole.info.attempts += gone ? gone->info.attempts : 1;
            if (!gone) whole.failed.emplace_back(each, gone.error());
        }
        keys.erase(odd.begin(), odd.end());
        if (keys.empty()) co_return whole;

        it.key = keys.front().text();
        auto const request = remove_many_request(where_, keys);
        auto answer = co_await exchange(request, it);
        whole.info.attempts += it.attempts;
        if (!answer) co_return tell(answer.error(), it);
        auto failed = read_remove_many(*answer, where_, keys);
        if (!failed) co_return tell(failed.error(), it);
        for (auto& each : *failed) {
            it.key = each.key.text();
            whole.failed.emplace_back(each.key, tell(each.why, it));
        }
        auto const attempts = whole.info.attempts;
        whole.info = info_of(*answer);
        whole.info.attempts = attempts;
        co_return whole;
    }

    std::shared_ptr<retry_tokens> tokens() const override { return tokens_; }
    store_capabilities capabilities() const override
    {
        return {
            .ordered_listing = ordered_, .conditional_create = true, .conditional_update = true, .list_allowed = true};
    }

    std::string const& address() const override { return given_; }

private:
    task<update_answer> update(errand& it, bytes const& content, std::string_view tag)
    {
        auto const request = update_request(where_, it.key, content, tag);
        auto answer = co_await exchange(request, it);
        if (!answer) co_return tell(answer.error(), it);
        co_return finish(read_update(*answer), it);
    }

    /// Where keys come in no order, what a store would skip by `start_after` says nothing: the reader drops such rows.
    list_options sent_options(list_options options) const noexcept
    {
        if (!ordered_) options.start_after = {};
        return options;
    }

    task<http::response> exchange(http::request const& request, errand& it)
    {
        auto got = co_await converse(request, it);
        if (!got) co_return to_error(it.what, got.error());
        co_return *std::move(got);
    }

    /// Signs and sends, once more for each correction that the answer asks for.
    boost::asio::awaitable<http::exchange_result> converse(http::request const& request, errand& it)
    {
        for (;;) {
            auto const who = co_await who_->current();
            if (!who) co_return http::exchange_error(http::broken::nothing_sent, who.error());
            auto const wire = wire_;  // A correction by another call may replace it meanwhile.
            auto const region = signer_.region();
            auto const now = time_.now() + skew_;
            auto const ready = signer_.sign(request, address_.where.authority, now, payload_, **who);
            ++it.attempts;
            auto got = co_await wire->send(ready);

            request_facts const facts{region, now};
            auto const why = why_resend(it.what, got, facts);
            bool& done = it.corrected[static_cast<std::size_t>(why)];
            if (why != resend::no && !done && correct(why, got, *who)) {
                done = true;
                continue;
            }
            co_return got;
        }
    }

    /// Takes over what the answer corrects; false if it cannot be.
    bool correct(resend why, http::exchange_result const& got, std::shared_ptr<aws_credentials const> const& who)
    {
        switch (why) {
        case resend::no: return false;
        case resend::fresh_connection: return true;
        case resend::server_clock: skew_ = *http::parse_http_date(got->find("date")) - time_.now(); return true;
        case resend::fresh_credentials: return who_->refused(who);
        case resend::other_region: return move_to(read_service_error(*got).region);
        }
        return false;
    }

    bool move_to(std::string region)
    {
        if (region == signer_.region()) return true;  // Another call was here first.
        auto moved = options_;
        moved.region = region;
        auto there = address_of(moved);
        if (!there) return false;
        if (there->follows_region) {
            wire_ = make_(there->where);
            address_ = *std::move(there);
        }
        options_ = std::move(moved);
        signer_.set_region(std::move(region));
        return true;
    }

    static bool is_mismatch(error const& failed) noexcept
    {
        return failed == errc::precondition_failed && failed.why() && failed.why()->status == 412;
    }

    static std::uint32_t attempts_of(result<object_meta> const& answer) noexcept
    {
        if (answer) return answer->info.attempts;
        return answer.error().why() ? answer.error().why()->attempts : 0;
    }

    /// The error with what this call adds to it.
    error tell(error const& failed, errand const& it) const
    {
        return with(failed, [&](diagnostics& why) {
            why.operation = it.operation;
            why.key = it.key;
            why.store = address_.text;
            why.attempts = it.attempts;
        });
    }

    template <class Answer>
    result<Answer> finish(result<Answer> answer, errand const& it) const
    {
        if (!answer) return tell(answer.error(), it);
        answer->info.attempts = it.attempts;
        return answer;
    }

    transport_maker make_;
    clock& time_;
    s3_options options_;
    std::shared_ptr<aws_provider> who_;
    credentials::sigv4_signer signer_;
    location where_;
    credentials::payload payload_;
    std::string given_;  ///< The address as the options have it: what is remembered of a store goes by it.
    s3::address address_;
    std::shared_ptr<http::transport> wire_;
    std::chrono::milliseconds skew_{0};  ///< The store's clock, less ours; 0 until it refuses ours.
    etag_form form_ = etag_form::unknown;
    std::shared_ptr<retry_tokens> const tokens_ = std::make_shared<retry_tokens>();
    bool ordered_;  ///< Until a page shows otherwise.
};

}  // namespace

result<std::unique_ptr<object_store>> make_store(transport_maker make, clock& time, s3_options options,
                                                 std::shared_ptr<aws_provider> credentials)
{
    if (!credentials) return error(errc::configuration, "an S3 store needs a provider of credentials");
    auto where = address_of(options);
    if (!where) return where.error();
    return std::unique_ptr<object_store>(std::make_unique<s3_store>(std::move(make), time, std::move(options),
                                                                    std::move(credentials), *std::move(where)));
}

}  // namespace headwater::s3
