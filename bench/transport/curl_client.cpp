// libcurl, plainly.
#include "bench/transport/client.hpp"

#include <curl/curl.h>

#include <chrono>
#include <stdexcept>

namespace headwater::bench {

namespace {

using steady = std::chrono::steady_clock;
using microseconds = std::chrono::duration<double, std::micro>;

// One easy handle and the body that it reads.
class transfer {
public:
    explicit transfer(target const& to) : to_(to), handle_(curl_easy_init())
    {
        curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &transfer::append);
        curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
        curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle_, CURLOPT_PROXY, "");
        if (to.tls()) curl_easy_setopt(handle_, CURLOPT_CAINFO, to.ca_file.c_str());
    }
    transfer(transfer const&) = delete;
    transfer& operator=(transfer const&) = delete;
    ~transfer() { curl_easy_cleanup(handle_); }

    void begin(wanted_get const& what)
    {
        body_.clear();
        size_ = what.size;
        curl_easy_setopt(handle_, CURLOPT_URL, (to_.endpoint() + "/bench/" + what.name).c_str());
    }

    void perform() { check(curl_easy_perform(handle_)); }

    void check(CURLcode how) const
    {
        if (how != CURLE_OK) throw std::runtime_error(curl_easy_strerror(how));
        if (body_.size() != size_) throw std::runtime_error("an object has another size");
    }

    CURL* handle() const noexcept { return handle_; }

private:
    static std::size_t append(char* from, std::size_t size, std::size_t count, void* me)
    {
        static_cast<transfer*>(me)->body_.append(from, size * count);
        return size * count;
    }

    target to_;
    CURL* handle_;
    std::string body_;
    std::size_t size_ = 0;
};

class curl_client final : public client {
public:
    explicit curl_client(target const& to) : to_(to), single_(to), multi_(curl_multi_init()) {}
    ~curl_client() override
    {
        transfers_.clear();
        curl_multi_cleanup(multi_);
    }

    std::vector<double> one_by_one(wanted_get const& what, std::size_t count) override
    {
        std::vector<double> took;
        took.reserve(count);
        for (std::size_t i = 0; i != count; ++i) {
            auto const began = steady::now();
            single_.begin(what);
            single_.perform();
            took.push_back(microseconds(steady::now() - began).count());
        }
        return took;
    }

    double together(std::vector<wanted_get> const& all, std::size_t in_flight) override
    {
        while (transfers_.size() < in_flight) transfers_.push_back(std::make_unique<transfer>(to_));
        auto const began = steady::now();
        std::size_t next = 0;
        for (std::size_t i = 0; i != std::min(in_flight, all.size()); ++i) add(*transfers_[i], all[next++]);
        for (std::size_t left = all.size(); left != 0;) {
            int running = 0;
            curl_multi_perform(multi_, &running);
            int queued = 0;
            while (auto const* const message = curl_multi_info_read(multi_, &queued)) {
                auto& done = owner_of(message->easy_handle);
                done.check(message->data.result);
                curl_multi_remove_handle(multi_, done.handle());
                --left;
                if (next < all.size()) add(done, all[next++]);
            }
            if (left != 0) curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
        }
        return microseconds(steady::now() - began).count();
    }

private:
    void add(transfer& one, wanted_get const& what)
    {
        one.begin(what);
        curl_easy_setopt(one.handle(), CURLOPT_PRIVATE, &one);
        curl_multi_add_handle(multi_, one.handle());
    }

    static transfer& owner_of(CURL* handle)
    {
        char* owner = nullptr;
        curl_easy_getinfo(handle, CURLINFO_PRIVATE, &owner);
        return *reinterpret_cast<transfer*>(owner);
    }

    target to_;
    transfer single_;
    CURLM* multi_;
    std::vector<std::unique_ptr<transfer>> transfers_;
};

}  // namespace

std::unique_ptr<client> make_curl_client(target const& to) { return std::make_unique<curl_client>(to); }

}  // namespace headwater::bench
