// curl_reader: the same reconstruction written plainly with libcurl and nlohmann/json, without the library.
//
//   bench_curl_reader --url http://127.0.0.1:PORT/bench/plain --reads N
#include "bench/support/keys.hpp"
#include "bench/support/options.hpp"
#include "bench/support/output.hpp"

#include <curl/curl.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>

namespace headwater::bench {
namespace {

using nlohmann::json;

// The version of each table, by its id.
using plain_state = std::map<std::uint64_t, std::uint64_t>;

class fetcher {
public:
    explicit fetcher(std::string base) : base_(std::move(base)), multi_(curl_multi_init()) {}
    fetcher(fetcher const&) = delete;
    fetcher& operator=(fetcher const&) = delete;
    ~fetcher()
    {
        for (auto const& each : transfers_) curl_easy_cleanup(each->handle);
        curl_multi_cleanup(multi_);
    }

    // Empty: the object is absent.
    std::string get(std::string const& name)
    {
        auto& one = begin(0, name);
        check(curl_easy_perform(one.handle));
        return content_of(one);
    }

    std::vector<std::string> get_all(std::vector<std::string> const& names)
    {
        for (std::size_t i = 0; i != names.size(); ++i) curl_multi_add_handle(multi_, begin(i, names[i]).handle);
        for (int running = 1; running != 0;) {
            curl_multi_perform(multi_, &running);
            if (running != 0) curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
        }
        int queued = 0;
        while (auto const* const message = curl_multi_info_read(multi_, &queued)) check(message->data.result);
        std::vector<std::string> contents;
        for (std::size_t i = 0; i != names.size(); ++i) {
            curl_multi_remove_handle(multi_, transfers_[i]->handle);
            contents.push_back(content_of(*transfers_[i]));
        }
        return contents;
    }

    std::uint64_t requests = 0;

private:
    struct transfer {
        CURL* handle = curl_easy_init();
        std::string body;
    };

    transfer& begin(std::size_t place, std::string const& name)
    {
        while (transfers_.size() <= place) {
            auto& made = transfers_.emplace_back(std::make_unique<transfer>());
            curl_easy_setopt(made->handle, CURLOPT_WRITEFUNCTION, &fetcher::append);
            curl_easy_setopt(made->handle, CURLOPT_WRITEDATA, &made->body);
            curl_easy_setopt(made->handle, CURLOPT_NOSIGNAL, 1L);
            curl_easy_setopt(made->handle, CURLOPT_PROXY, "");
        }
        auto& one = *transfers_[place];
        one.body.clear();
        curl_easy_setopt(one.handle, CURLOPT_URL, (base_ + '/' + name).c_str());
        ++requests;
        return one;
    }

    static std::string content_of(transfer& one)
    {
        long status = 0;
        curl_easy_getinfo(one.handle, CURLINFO_RESPONSE_CODE, &status);
        if (status == 404) return {};
        if (status != 200) throw std::runtime_error("HTTP status " + std::to_string(status));
        return std::move(one.body);
    }

    static void check(CURLcode how)
    {
        if (how != CURLE_OK) throw std::runtime_error(curl_easy_strerror(how));
    }

    static std::size_t append(char* from, std::size_t size, std::size_t count, void* body)
    {
        static_cast<std::string*>(body)->append(from, size * count);
        return size * count;
    }

    std::string base_;
    CURLM* multi_;
    std::vector<std::unique_ptr<transfer>> transfers_;
};

plain_state from_checkpoint(std::string const& content)
{
    plain_state heads;
    auto const value = json::parse(content);
    for (auto const& each : value.at("heads")) {
        auto const& pin = each.at("pin");
        heads[each.at("stable_table_id")] = pin.is_null() ? 0 : pin.at("target_version").get<std::uint64_t>();
    }
    return heads;
}

void apply(plain_state& heads, std::string const& content)
{
    auto const value = json::parse(content);
    for (auto const& each : value.value("tombstones", json::array())) heads.erase(each.at("stable_table_id"));
    for (auto const& each : value.value("registrations", json::array())) heads[each.at("stable_table_id")] = 0;
    for (auto const& each : value.at("pins")) heads[each.at("stable_table_id")] = each.at("target_version");
}

std::size_t read_one_by_one(fetcher& from)
{
    auto const hinted = json::parse(from.get(keys::hint()));
    std::uint64_t const base = hinted.at("checkpoint");
    auto heads = from_checkpoint(from.get(keys::checkpoint(base)));
    for (auto seq = base + 1;; ++seq) {
        auto const content = from.get(keys::record(seq));
        if (content.empty()) return heads.size();
        apply(heads, content);
    }
}

std::size_t read_at_once(fetcher& from)
{
    auto const hinted = json::parse(from.get(keys::hint()));
    std::uint64_t const base = hinted.at("checkpoint");
    std::uint64_t const newest = hinted.at("seq");
    std::vector<std::string> names{keys::checkpoint(base)};
    for (auto seq = base + 1; seq <= newest + 1; ++seq) names.push_back(keys::record(seq));
    auto const contents = from.get_all(names);
    auto heads = from_checkpoint(contents.front());
    for (std::size_t i = 1; i < contents.size() && !contents[i].empty(); ++i) apply(heads, contents[i]);
    return heads.size();
}

void measure(options const& wanted, char const* plan, std::size_t (*read)(fetcher&))
{
    using steady = std::chrono::steady_clock;
    fetcher from(wanted.text("--url"));
    (void)read(from);
    from.requests = 0;
    std::vector<double> took;
    auto const reads = wanted.number("--reads", 100);
    for (std::uint64_t i = 0; i != reads; ++i) {
        auto const began = steady::now();
        if (read(from) == 0) throw std::runtime_error("the state is empty");
        took.push_back(std::chrono::duration<double, std::milli>(steady::now() - began).count());
    }
    nlohmann::ordered_json line{{"bench", "peers"}, {"client", "libcurl"}, {"plan", plan}};
    add_spread(line, "ms", took);
    line["requests"] = static_cast<double>(from.requests) / static_cast<double>(reads);
    emit(line);
}

}  // namespace
}  // namespace headwater::bench

int main(int count, char** words)
try {
    headwater::bench::options const wanted(count, words);
    headwater::bench::measure(wanted, "one by one", headwater::bench::read_one_by_one);
    headwater::bench::measure(wanted, "at once", headwater::bench::read_at_once);
} catch (std::exception const& what) {
    std::fprintf(stderr, "bench_curl_reader: %s\n", what.what());
    return 1;
}
