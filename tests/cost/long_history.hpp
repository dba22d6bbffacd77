// long_history: the objects of one graph with 10,000 commits, made once, to be placed in any store up to any depth.
#pragma once

#include <headwater/hint.hpp>
#include <headwater/object_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headwater::test {

/// What of a graph is placed.
struct history_shape {
    bool carry = true;  ///< False: records as RFC 0068 has them, without carry and digest, and a marker that says so.
    bool checkpoints = true;  ///< False: a reader has to read every record.
};

class long_history {
public:
    static constexpr std::uint64_t depth = 10'000;
    static constexpr std::uint64_t interval = 50;
    static constexpr std::uint64_t tables = 8;

    /// Made with the library's own publisher in a memory store, at the first call.
    static long_history const& get();

    /// Writes the graph's marker, metadata, records after `above` up to `newest`, their checkpoints, and a true hint.
    boost::asio::awaitable<void> place(object_store& to, std::uint64_t above, std::uint64_t newest,
                                       history_shape shape) const;
    /// The hint that a publisher would have left at `newest`.
    static hint true_hint(std::uint64_t newest);
    /// The commit id at `seq`.
    std::string const& id_at(std::uint64_t seq) const { return ids_.at(seq); }

private:
    long_history();

    std::vector<std::pair<object_key, bytes>> opening_;
    std::map<std::uint64_t, bytes> records_;
    std::map<std::uint64_t, bytes> plain_records_;
    std::map<std::uint64_t, bytes> checkpoints_;
    std::map<std::uint64_t, std::string> ids_;
};

}  // namespace headwater::test
