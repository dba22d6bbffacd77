// Reads a request, checks it, lets it take effect, answers: each step as the deed says.
#include "tests/servers/fault_server.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace headwater::test {

namespace asio = boost::asio;

namespace {

constexpr std::size_t drip_bytes = 7;
constexpr std::chrono::milliseconds gathering_pause{1};

struct byte_span {
    std::size_t first = 0;
    std::size_t last = 0;
};

// `bytes=3-` and `bytes=3-5`; nothing if it is no such range or begins after the end.
std::optional<byte_span> range_of(asked const& what, std::size_t size)
{
    auto text = what.find("x-ms-range");
    if (text.empty()) text = what.find("range");
    if (!text.starts_with("bytes=")) return {};
    text.remove_prefix(6);
    auto const dash = text.find('-');
    byte_span out{std::stoul(std::string(text.substr(0, dash))), size - 1};
    if (dash + 1 < text.size())
        out.last = std::min<std::size_t>(out.last, std::stoul(std::string(text.substr(dash + 1))));
    if (out.first >= size) return {};
    return out;
}

bool asks_for_range(asked const& what) { return !what.find("x-ms-range").empty() || !what.find("range").empty(); }

std::string reason(int status) { return status < 400 ? "Fine" : "Refused"; }

std::string spelled(reply const& what, std::string_view method, std::chrono::sys_seconds now)
{
    auto out =
        "HTTP/1.1 " + std::to_string(what.status) + ' ' + reason(what.status) + "\r\nDate: " + http_date(now) + "\r\n";
    bool sized = what.status == 204 || what.status == 304;
    for (auto const& [name, value] : what.fields) {
        out += name + ": " + value + "\r\n";
        sized = sized || name == "Content-Length";
    }
    if (!sized) out += "Content-Length: " + std::to_string(what.body.size()) + "\r\n";
    out += "\r\n";
    if (method != "HEAD" && what.status != 204 && what.status != 304) out += what.body;
    return out;
}

}  // namespace

struct fault_server::state {
    explicit state(std::unique_ptr<store_dialect> speaks) : dialect(std::move(speaks)) {}

    std::unique_ptr<store_dialect> dialect;
    mutable std::mutex guard;
    stored_objects objects;
    std::map<std::string, int> writes;
    std::deque<deed> planned;
    std::map<std::string, std::deque<deed>> planned_about;
    deed otherwise;
    std::vector<std::string> log;
    std::atomic<std::chrono::seconds::rep> offset{0};
    int next_tag = 1;

    std::chrono::sys_seconds now() const
    {
        return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
               + std::chrono::seconds(offset);
    }

    deed take(asked const& what)
    {
        std::lock_guard const locked(guard);
        log.push_back(what.method + ' ' + what.path);
        auto const key = dialect->key_of(what);
        auto const about = key ? planned_about.find(*key) : planned_about.end();
        auto& from = about != planned_about.end() && !about->second.empty() ? about->second : planned;
        if (from.empty()) return otherwise;
        auto out = std::move(from.front());
        from.pop_front();
        return out;
    }

    // What the request does, and the answer to it.
    reply act(asked const& what, deed const& how)
    {
        std::lock_guard const locked(guard);
        auto const key = dialect->key_of(what);
        auto const batch = dialect->batch_of(what);
        if (batch) return remove(*batch, how);
        if (!key) return dialect->list(what, objects);
        if (what.method == "PUT") return write(what, *key, how.checks_conditions);
        if (what.method != "DELETE") return read(what, *key);
        auto const fails = how.fails.find(*key);
        if (fails != how.fails.end()) return {409, fails->second, {}, {}};
        return dialect->removed(erase(*key));
    }

    bool erase(std::string const& key)
    {
        ++writes[key];
        return objects.erase(key) == 1;
    }

    reply remove(std::vector<std::string> const& keys, deed const& how)
    {
        removals all;
        for (auto const& key : keys) {
            auto const fails = how.fails.find(key);
            bool const goes = fails == how.fails.end();
            if (goes) erase(key);
            all.emplace_back(key, goes ? std::string() : fails->second);
        }
        return dialect->removed_batch(all);
    }

    reply write(asked const& what, std::string const& key, bool checks_conditions)
    {
        auto const at = objects.find(key);
        bool const is_there = at != objects.end();
        auto const expected = what.find("if-match");
        if (checks_conditions && is_there && what.find("if-none-match") == "*") return dialect->taken();
        if (checks_conditions && !expected.empty() && !is_there) return dialect->mismatch();
        if (checks_conditions && !expected.empty() && expected != '"' + at->second.tag + '"') {
            return dialect->mismatch();
        }
        return dialect->put(keep(key, what.body));
    }

    stored const& keep(std::string const& key, std::string content)
    {
        ++writes[key];
        auto& made = objects[key];
        made = {std::move(content), "0x" + std::to_string(next_tag++), now()};
        return made;
    }

    reply read(asked const& what, std::string const& key) const
    {
        auto const at = objects.find(key);
        if (at == objects.end()) return dialect->absent();
        auto const& [content, tag, modified] = at->second;
        reply out;
        out.fields = {{"ETag", '"' + tag + '"'}, {"Last-Modified", http_date(modified)}};
        if (what.find("if-none-match") == '"' + tag + '"') {
            out.status = 304;
            return out;
        }
        out.body = content;
        for (auto const& each : dialect->sums(what, at->second)) out.fields.push_back(each);
        if (what.method == "HEAD") out.fields.emplace_back("Content-Length", std::to_string(content.size()));
        auto const expected = what.find("if-match");
        if (!expected.empty() && expected != '"' + tag + '"') return dialect->mismatch();
        if (!asks_for_range(what)) return out;
        auto const range = range_of(what, content.size());
        if (!range) return {416, "InvalidRange", {}, {}};
        out.status = 206;
        out.body = content.substr(range->first, range->last - range->first + 1);
        out.fields.emplace_back("Content-Range", "bytes " + std::to_string(range->first) + '-'
                                                     + std::to_string(range->last) + '/'
                                                     + std::to_string(content.size()));
        return out;
    }
};

fault_server::fault_server(dialect speaks, server_identity const& identity, server_account who)
    : who_(std::move(who)),
      state_(std::make_shared<state>(speaks == dialect::s3 ? make_s3_dialect(who_) : make_azure_dialect(who_))),
      tls_(!identity.certificate.empty()),
      wire_(std::make_unique<script_server>([this](peer& client) { return serve(client); }, identity))
{
}
fault_server::~fault_server() = default;

std::string fault_server::url() const
{
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}

asio::awaitable<void> fault_server::serve(peer& client)
{
    for (;;) {
        auto const bytes = co_await client.request();
        if (bytes.empty()) co_return;
        auto what = read_request(bytes);
        auto const how = state_->take(what);
        if (how.arrives) how.arrives(what);
        bool const stays = co_await answer(client, what, how);
        if (!stays) co_return;
    }
}

// Whether the connection takes another request.
asio::awaitable<bool> fault_server::answer(peer& client, asked const& what, deed const& how)
{
    auto const shared = state_;
    auto const refused = how.refusal ? how.refusal : shared->dialect->check(what, shared->now());
    reply out;
    if (refused) out = *refused;
    if (!refused && how.takes_effect == deed::effect::now) out = shared->act(what, how);
    if (how.changes) how.changes(out);
    shared->dialect->spell(out);
    auto wire = how.before + spelled(out, what.method, shared->now());
    if (how.rewrites) how.rewrites(wire);

    while (wire_->requests() < how.gathers) co_await client.pause(gathering_pause);
    if (how.waits.count() > 0) co_await client.pause(how.waits);
    if (how.passes < wire.size()) client.choke(how.passes);
    if (how.drips.count() == 0) co_await client.send(wire);
    for (std::size_t at = 0; how.drips.count() > 0 && at < wire.size(); at += drip_bytes) {
        auto const piece = wire.substr(at, drip_bytes);
        co_await client.send(piece);
        co_await client.pause(how.drips);
    }
    if (how.then == deed::end::stays) co_return true;
    if (how.then == deed::end::resets) client.reset();
    if (how.then == deed::end::closes) client.close();
    if (how.then == deed::end::stalls) co_await client.request();
    if (!refused && how.takes_effect == deed::effect::late) {
        wire_->later(how.late, [shared, what] { shared->act(what, deed()); });
    }
    co_return false;
}

void fault_server::next(std::vector<deed> deeds)
{
    std::lock_guard const locked(state_->guard);
    for (auto& each : deeds) state_->planned.push_back(std::move(each));
}

void fault_server::next_about(std::string const& key, std::vector<deed> deeds)
{
    std::lock_guard const locked(state_->guard);
    for (auto& each : deeds) state_->planned_about[key].push_back(std::move(each));
}

void fault_server::forget()
{
    std::lock_guard const locked(state_->guard);
    state_->planned.clear();
}

void fault_server::always(deed what)
{
    std::lock_guard const locked(state_->guard);
    state_->otherwise = std::move(what);
}

void fault_server::set_clock(std::chrono::seconds offset) { state_->offset = offset.count(); }

void fault_server::put(std::string const& key, std::string content)
{
    std::lock_guard const locked(state_->guard);
    state_->keep(key, std::move(content));
    state_->writes[key] = 0;
}

std::optional<std::string> fault_server::content(std::string const& key) const
{
    std::lock_guard const locked(state_->guard);
    auto const at = state_->objects.find(key);
    if (at == state_->objects.end()) return {};
    return at->second.content;
}

std::string fault_server::tag(std::string const& key) const
{
    std::lock_guard const locked(state_->guard);
    return '"' + state_->objects.at(key).tag + '"';
}

std::vector<std::string> fault_server::log() const
{
    std::lock_guard const locked(state_->guard);
    return state_->log;
}

int fault_server::writes(std::string const& key) const
{
    std::lock_guard const locked(state_->guard);
    auto const at = state_->writes.find(key);
    return at == state_->writes.end() ? 0 : at->second;
}

deed honest() { return {}; }

deed drop()
{
    deed out;
    out.takes_effect = deed::effect::never;
    out.passes = 0;
    out.then = deed::end::closes;
    return out;
}

deed commit_then_drop()
{
    auto out = drop();
    out.takes_effect = deed::effect::now;
    return out;
}

deed reset()
{
    auto out = drop();
    out.then = deed::end::resets;
    return out;
}

deed drop_then_commit(std::chrono::milliseconds after)
{
    auto out = drop();
    out.takes_effect = deed::effect::late;
    out.late = after;
    return out;
}

deed refuse(int status, std::string code, std::vector<std::pair<std::string, std::string>> fields)
{
    deed out;
    out.refusal = reply{status, std::move(code), std::move(fields), {}};
    return out;
}

deed say(std::string bytes)
{
    deed out;
    out.takes_effect = deed::effect::never;
    out.rewrites = [bytes = std::move(bytes)](std::string& wire) { wire = bytes; };
    out.then = deed::end::closes;
    return out;
}

deed cut_after(std::size_t bytes)
{
    deed out;
    out.passes = bytes;
    out.then = deed::end::closes;
    return out;
}

deed stall_after(std::size_t bytes)
{
    auto out = cut_after(bytes);
    out.then = deed::end::stalls;
    return out;
}

deed drip(std::chrono::milliseconds between)
{
    deed out;
    out.drips = between;
    return out;
}

deed close_afterwards()
{
    deed out;
    out.then = deed::end::closes;
    return out;
}

deed lie()
{
    deed out;
    out.checks_conditions = false;
    return out;
}

deed change(std::function<void(reply&)> how)
{
    deed out;
    out.changes = std::move(how);
    return out;
}

deed damage()
{
    deed out;
    out.arrives = [](asked& what) {
        if (!what.body.empty()) what.body.back() ^= 1;
    };
    return out;
}

deed damage_answer()
{
    return change([](reply& answer) {
        if (!answer.body.empty()) answer.body.back() ^= 1;
    });
}

deed fail_removals(std::map<std::string, std::string> keys)
{
    deed out;
    out.fails = std::move(keys);
    return out;
}

deed rewrite(std::function<void(std::string&)> how)
{
    deed out;
    out.rewrites = std::move(how);
    return out;
}

}  // namespace headwater::test
