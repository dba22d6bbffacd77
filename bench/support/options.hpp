// options: `--name value` and `--name` of a benchmark's command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::bench {

class options {
public:
    options(int count, char** words) : words_(words + 1, words + count) {}

    bool has(std::string_view name) const
    {
        for (auto const& each : words_) {
            if (each == name) return true;
        }
        return false;
    }

    std::string text(std::string_view name, std::string otherwise = {}) const
    {
        for (std::size_t at = 0; at + 1 < words_.size(); ++at) {
            if (words_[at] == name) return words_[at + 1];
        }
        return otherwise;
    }

    std::uint64_t number(std::string_view name, std::uint64_t otherwise) const
    {
        auto const found = text(name);
        if (found.empty()) return otherwise;
        std::uint64_t value = 0;
        auto const [end, wrong] = std::from_chars(found.data(), found.data() + found.size(), value);
        if (wrong != std::errc() || end != found.data() + found.size()) {
            throw std::invalid_argument(std::string(name) + " wants a number, not " + found);
        }
        return value;
    }

private:
    std::vector<std::string> words_;
};

}  // namespace headwater::bench
