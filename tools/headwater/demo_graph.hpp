// demo_graph: a believable history of a graph, from a seed: tables come, grow, change names and go. Pure: it knows
// nothing of stores and clocks, so the same seed gives the same intents.
#pragma once

#include <headwater/intent.hpp>
#include <headwater/random.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

class demo_graph {
public:
    /// A history of `commits` commits, at least 1, with at most `tables` live tables, at least 1.
    demo_graph(std::uint64_t seed, std::uint64_t tables, std::uint64_t commits, std::string identity_domain);

    /// The next commit's intent; valid on top of the ones before it.
    intent next();
    std::size_t live_tables() const noexcept { return live_.size(); }

    /// Between two boundaries only so many tables change, so that a record's carry stays small: half of the default
    /// `carry_limit`. A boundary's own changes weigh nothing, they are in its checkpoint.
    static constexpr std::size_t max_touched = 60;

private:
    struct table {
        table_identity identity;
        std::string key;
        std::uint64_t version = 0;  // 0: no pin yet.
        std::uint64_t entities = 0;
        std::uint64_t growth = 0;  // Entities that a usual pin adds.
        bool touched = false;      // Since the last boundary.
    };

    std::uint64_t below(std::uint64_t bound) { return chance_->next() % bound; }
    bool happens(std::uint64_t percent) { return below(100) < percent; }
    std::string hex(std::size_t digits);
    std::string sha256() { return "sha256:" + hex(64); }
    std::string uuid();

    void begin_commit();
    void change_schema(intent& out);
    void drop_one(intent& out);
    void rename_one(intent& out);
    void register_some(intent& out);
    void pin_some(intent& out);
    void sign(intent& out);

    std::string fresh_key();
    registration register_table(std::string key);
    pin_change pin_table(table& one);
    std::uint64_t target() const noexcept;
    std::uint64_t most_registrations() const noexcept;
    bool at_boundary() const noexcept;
    std::size_t room() const noexcept;
    bool touch(table& one);
    table* any_table();

    std::unique_ptr<random> chance_;
    std::uint64_t tables_;
    std::uint64_t commits_;
    schema_identity schema_;
    std::uint64_t seq_ = 0;
    std::uint64_t last_id_ = 0;
    std::uint64_t last_node_ = 0;
    std::uint64_t last_edge_ = 0;
    std::size_t touched_ = 0;
    std::vector<table> live_;  // In the order of their registration.
    std::vector<std::string> dropped_keys_;
    std::set<std::uint64_t> changed_;  // Identities that the commit at hand has changed.
};

}  // namespace headwater::cli
