// oracle: sees each write that takes effect in a simulated store, and says at once when it breaks a promise of FORMAT.
// It spells keys and folds records by itself, so that it shares no mistake with the library.
#pragma once

#include <headwater/bytes.hpp>
#include <headwater/merge.hpp>
#include <headwater/names.hpp>
#include <headwater/record.hpp>
#include <headwater/snapshot.hpp>
#include <headwater/stream_metadata.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::simulation {

/// A promise was broken; what() says which one and where.
class broken_promise : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One live table, as far as a simulation goes.
struct table_now {
    std::uint64_t incarnation = 0;
    std::string table_key;
    std::optional<std::uint64_t> version;

    friend bool operator==(table_now const&, table_now const&) = default;
};
using tables_now = std::map<std::uint64_t, table_now>;

class oracle {
public:
    /// An object now has this content.
    void wrote(std::string const& key, bytes const& content);
    void removed(std::string const& key);

    /// A publisher was told that the commit of `mark` stands there.
    void told_success(std::string const& mark, position const& at) const;
    /// A publisher was told that the commit of `mark` does not exist; it must never come.
    void told_failure(std::string const& mark);
    /// The newest seq of every stream.
    std::map<std::string, sequence> all_newest() const;
    /// A reader was given this; `before` was `all_newest` when it asked.
    void read(snapshot const& now, std::map<std::string, sequence> const& before) const;
    /// A reader was given the state at a past seq.
    void read_at(snapshot const& then, sequence asked) const;

    /// A merge was told that the target has the source's last commit, and over which base.
    void told_merged(merge_receipt const& done);
    /// A feed told of this commit.
    void fed(record const& cause);
    /// The first seq that a record of the stream can have.
    sequence beginning(std::string const& stream) const;
    /// Whether the record there is the one that ends the stream.
    bool ends_at(std::string const& stream, sequence seq) const;

    /// The newest seq that a record above the floor ever had.
    sequence newest(std::string const& stream) const;
    sequence floor(std::string const& stream) const;
    bool retired(std::string const& stream) const;
    std::uint64_t commits() const noexcept { return marks_.size(); }
    std::uint64_t merges() const noexcept { return merges_; }
    std::uint64_t commits_fed() const noexcept { return commits_fed_; }

private:
    struct commit {
        commit_id id;
        std::string mark;
        tables_now tables;
        std::vector<commit_id> parents;
        bool retires = false;
    };
    struct place {
        std::string stream;
        std::uint64_t seq = 0;
    };
    struct life {
        std::map<std::uint64_t, commit> commits;  ///< Every record that stood above the floor, pruned ones too.
        std::optional<stream_metadata> metadata;
    };

    std::uint64_t merges_ = 0;
    std::uint64_t commits_fed_ = 0;

    void wrote_record(std::string const& stream, std::uint64_t seq, bytes const& content);
    void wrote_checkpoint(std::string const& stream, std::uint64_t seq, bytes const& content);
    void wrote_metadata(std::string const& stream, bytes const& content);
    void check_content(snapshot const& now) const;
    void check_merge(place const& at, record const& made, tables_now const& after) const;
    std::map<commit_id, std::uint64_t> distances_from(commit_id const& start) const;
    std::set<commit_id> bases_of(commit_id const& source, commit_id const& target) const;
    bool was_ended(std::string const& stream, std::uint64_t before, std::uint64_t id, table_now const& wanted) const;
    bool is_fold_over(tables_now const& base, tables_now const& source, place const& at, tables_now const& after) const;
    tables_now state_before(std::string const& stream, std::uint64_t seq) const;
    void may_remove(std::string const& stream, std::uint64_t seq, std::uint64_t limit, std::string const& key) const;

    std::map<std::string, bytes> objects_;
    std::map<std::string, bytes> checkpoints_;  ///< The first content of each key.
    std::map<std::string, life> lives_;
    std::map<commit_id, commit> by_id_;
    bool pruned_ = false;  ///< A floor has risen, or records have gone with their life.
    std::map<std::string, position> marks_;
    std::set<std::string> denied_;
};

}  // namespace headwater::simulation
