// history: the objects of one graph, made once by the library's own publisher, to be placed in any store.
#pragma once

#include <headwater/hint.hpp>
#include <headwater/intent.hpp>
#include <headwater/names.hpp>
#include <headwater/object_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace headwater::bench {

/// What of a graph is placed.
struct history_shape {
    bool carry = true;  ///< False: records as RFC 0068 has them, without carry and digest, and a marker that says so.
    bool checkpoints = true;  ///< False: a reader has to read every record.
};

/// `depth` commits on `tables` tables, which the first commits register; each later one pins a few.
class history {
public:
    static constexpr std::uint64_t interval = 50;

    history(std::uint64_t depth, std::uint64_t tables);

    /// Writes the marker, the metadata, the records after `above` up to `newest`, their checkpoints and a true hint.
    boost::asio::awaitable<void> place(object_store& to, std::uint64_t above, std::uint64_t newest,
                                       history_shape shape) const;
    std::uint64_t depth() const noexcept { return depth_; }
    std::uint64_t tables() const noexcept { return tables_; }

    /// The id of the commit at `seq`.
    commit_id id_at(std::uint64_t seq) const;

    /// The hint that a publisher leaves at `newest`.
    static hint true_hint(std::uint64_t newest);

private:
    boost::asio::awaitable<void> make(object_store& store);
    boost::asio::awaitable<void> publish_all(object_store& store) const;
    boost::asio::awaitable<void> keep_all(object_store& store);

    std::uint64_t depth_;
    std::uint64_t tables_;
    std::vector<std::pair<object_key, bytes>> opening_;
    std::map<std::uint64_t, bytes> records_;
    std::map<std::uint64_t, bytes> plain_records_;
    std::map<std::uint64_t, bytes> checkpoints_;
};

/// The `seq`-th commit of such a history: registers a share of the tables, or pins a few.
intent nth_commit(std::uint64_t seq, std::uint64_t tables);

/// Writes all objects, 32 at once.
boost::asio::awaitable<void> put_all(object_store& to, std::vector<std::pair<object_key, bytes>> objects);

}  // namespace headwater::bench
