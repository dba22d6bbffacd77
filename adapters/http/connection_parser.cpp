// Our own subclass of Beast's basic_parser: its grammar, our storage, no copy but the one into the body.
#include "adapters/http/connection_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <cassert>
#include <string>

namespace headwater::http {

namespace {

namespace beast = boost::beast;
using view = beast::string_view;

constexpr std::size_t usual_field_count = 16;

class one_answer final : public beast::http::basic_parser<false> {
public:
    one_answer(std::uint64_t most_of_success, std::uint64_t most_of_refusal)
        : of_success_(most_of_success), of_refusal_(most_of_refusal)
    {
        header_limit(max_header_bytes);
        eager(true);
    }

    std::uint64_t max_body() const { return out.status / 100 == 2 ? of_success_ : of_refusal_; }

    response out;

private:
    void on_request_impl(beast::http::verb, view, view, int, error_code&) override {}
    void on_response_impl(int status, view, int, error_code&) override
    {
        out.status = status;
        body_limit(max_body());  // Before Beast looks at a length.
    }

    void on_field_impl(beast::http::field name, view text, view value, error_code& wrong) override
    {
        // Beast's own limit is for one field at a time.
        header_bytes_ += text.size() + value.size();
        if (header_bytes_ > max_header_bytes) wrong = beast::http::error::header_limit;
        if (in_body_) return;  // Trailers say nothing that was asked for.
        if (name == beast::http::field::transfer_encoding && !beast::iequals(value, "chunked")) {
            wrong = beast::http::error::bad_transfer_encoding;
        }
        if (out.fields.empty()) out.fields.reserve(usual_field_count);
        out.fields.emplace_back(std::string(text), std::string(value));
    }

    // RFC 7230 section 3.3.3 lets the end of the connection end a body. A cut looks the same, so only an error's text,
    // which no decision needs, may come so.
    void on_header_impl(error_code& wrong) override
    {
        if (need_eof() && out.status < 400) wrong = beast::http::error::bad_content_length;
        if (out.status == 101) wrong = beast::http::error::bad_status;
    }

    void on_body_init_impl(boost::optional<std::uint64_t> const& length, error_code&) override
    {
        in_body_ = true;
        if (length) out.body.reserve(static_cast<std::size_t>(std::min(*length, max_body())));
    }

    std::size_t on_body_impl(view bytes, error_code&) override
    {
        out.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_chunk_header_impl(std::uint64_t, view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, view bytes, error_code& wrong) override
    {
        return on_body_impl(bytes, wrong);
    }
    void on_finish_impl(error_code&) override {}

    std::uint64_t of_success_;
    std::uint64_t of_refusal_;
    std::size_t header_bytes_ = 0;
    bool in_body_ = false;
};

error explain(error_code what, one_answer const& from)
{
    if (what == beast::http::error::body_limit) {
        return body_too_large(from.out.status, from.max_body());
    }
    if (what == beast::http::error::header_limit) {
        return {errc::protocol,
                "max_header_bytes: the answer's header is larger than " + std::to_string(max_header_bytes) + " bytes"};
    }
    if (what == beast::http::error::bad_content_length && from.need_eof()) {
        return {errc::protocol, "the answer does not say how long its body is"};
    }
    return {errc::protocol, "the answer is not HTTP: " + what.message()};
}

}  // namespace

class response_parser::impl {
public:
    std::optional<one_answer> now;
    std::optional<error> wrong;
    std::uint64_t max_body = 0;
    std::uint64_t max_refusal = 0;
    int interim = 0;
    bool to_head = false;
    bool begun = false;

    void next()
    {
        now.emplace(max_body, max_refusal);
        now->skip(to_head);
    }

    bool is_interim() const { return now->is_done() && now->out.status / 100 == 1; }
};

response_parser::response_parser() : impl_(std::make_unique<impl>()) {}
response_parser::~response_parser() = default;

void response_parser::begin(request const& what)
{
    impl_->to_head = what.method == "HEAD";
    impl_->max_body = what.max_body;
    impl_->max_refusal = what.max_refusal;
    impl_->interim = 0;
    impl_->begun = false;
    impl_->wrong.reset();
    impl_->next();
}

std::size_t response_parser::put(std::string_view bytes)
{
    auto& me = *impl_;
    std::size_t used = 0;
    while (used < bytes.size() && !me.now->is_done()) {
        me.begun = true;
        error_code how;
        used += me.now->put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), how);
        if (how == beast::http::error::need_more) break;
        if (how) {
            me.wrong = explain(how, *me.now);
            break;
        }
        if (!me.is_interim()) continue;
        if (++me.interim > max_interim_answers) {
            me.wrong = error(errc::protocol, "max_interim_answers: the server keeps sending 1xx answers");
            break;
        }
        me.next();
    }
    return used;
}

bool response_parser::put_end()
{
    if (!impl_->now->need_eof() || !impl_->now->is_header_done()) return false;
    error_code how;
    impl_->now->put_eof(how);
    return !how && impl_->now->is_done();
}

bool response_parser::begun() const noexcept { return impl_->begun; }
bool response_parser::done() const noexcept { return impl_->now->is_done() && !impl_->wrong; }
std::optional<error> const& response_parser::wrong() const noexcept { return impl_->wrong; }
bool response_parser::keep_alive() const noexcept { return impl_->now->keep_alive(); }

response response_parser::take()
{
    assert(done());
    return std::move(impl_->now->out);
}

response response_parser::take_part()
{
    bool const interim = impl_->now->out.status / 100 == 1;
    return interim ? response() : std::move(impl_->now->out);
}

}  // namespace headwater::http
