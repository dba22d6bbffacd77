// arguments: what a command line asks for, as values. Pure: reads no file and opens no store; the commands act on it.
#pragma once

#include <headwater/clock.hpp>
#include <headwater/error.hpp>
#include <headwater/names.hpp>
#include <headwater/stream_metadata.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headwater::cli {

/// The greatest values that `demo` takes.
inline constexpr std::uint64_t max_demo_tables = 100'000;
inline constexpr std::uint64_t max_demo_commits = 10'000'000;
/// The most rounds of one race in `conform`.
inline constexpr std::uint64_t max_race_rounds = 100'000;
/// The greatest values that `bench` takes.
inline constexpr std::uint64_t max_bench_rounds = 100'000;
inline constexpr std::uint64_t max_bench_size = 16 << 20;

/// What every command that works on a graph takes.
struct common_arguments {
    common_arguments() = default;

    std::string graph;  ///< The graph's URL.
    std::string branch = "main";
    bool json = false;
    bool cost = false;
    bool quiet = false;
};

struct init_arguments {
    std::uint64_t checkpoint_interval = default_checkpoint_interval;
    std::uint64_t carry_limit = default_carry_limit;  ///< Bytes.
};

struct demo_arguments {
    std::uint64_t tables = 217;
    std::uint64_t commits = 1000;
    std::uint64_t seed = 1;
};

struct create_arguments {
    create_arguments() = default;

    std::string file;                           ///< `-` is stdin.
    std::optional<std::string> expect;          ///< The commit id that must be the newest; empty: no commit at all.
    std::optional<std::string> schema_content;  ///< A file with the content of the intent's schema.
};

struct import_arguments {
    import_arguments() = default;

    std::string file;  ///< `-` is stdin.
};

struct list_arguments {
    std::uint64_t limit = 20;  ///< 0: all.
};

struct show_arguments {
    show_arguments() = default;

    std::string commit;  ///< A seq, a commit id or a time.
};

struct snapshot_arguments {
    snapshot_arguments() = default;

    std::optional<std::string> at;  ///< A seq, a commit id or a time; nothing: the newest.
    bool explain = false;           ///< Say which requests were made, and when.
};

struct diff_arguments {
    diff_arguments() = default;

    std::string from;  ///< A seq, a commit id or a time.
    std::string to;
};

struct heads_list_arguments {
    heads_list_arguments() = default;

    std::optional<std::string> at;  ///< As `snapshot`.
};

struct heads_show_arguments {
    heads_show_arguments() = default;

    std::string table;  ///< A table_key, a stable_table_id, or that, a slash and the incarnation.
    std::optional<std::string> at;
};

struct heads_verify_arguments {
    heads_verify_arguments() = default;

    std::optional<std::string> at;
    std::optional<std::string> expect;  ///< A file with the heads that must be live; `-` is stdin.
};

struct resolve_arguments {
    resolve_arguments() = default;

    std::string token;  ///< What `outcome_unknown` gave as `resume`.
};

struct changes_arguments {
    changes_arguments() = default;

    std::string start = "now";          ///< `now`, `beginning` or `after:COMMIT_ID`.
    std::optional<std::string> cursor;  ///< Instead of a start.
    std::uint64_t limit = 128;          ///< Commits in a page.
    std::vector<std::uint64_t> tables;  ///< stable_table_ids; empty: all.
    bool follow = false;
};

struct branch_create_arguments {
    branch_create_arguments() = default;

    std::string name;
    std::string from = "main";      ///< The parent branch.
    std::optional<std::string> at;  ///< Of the parent, as `snapshot`.
};

struct branch_list_arguments {};

struct branch_delete_arguments {
    branch_delete_arguments() = default;

    std::string name;
    bool force = false;
};

struct branch_merge_arguments {
    branch_merge_arguments() = default;

    std::string source;
    std::string into = "main";
    bool delete_branch = false;  ///< The source, once it has been merged.
};

struct cleanup_arguments {
    cleanup_arguments() = default;

    std::optional<std::uint64_t> keep;                    ///< Records of each stream.
    std::optional<std::chrono::milliseconds> older_than;  ///< The age from which a record may go.
    bool confirm = false;
    bool wait = false;
    bool quiesced = false;
    std::optional<std::string> roots;  ///< A file for what retained history names.
};

struct verify_arguments {
    bool deep = false;
};

struct repair_arguments {
    bool confirm = false;
};

struct presign_arguments {
    presign_arguments() = default;

    std::string key;
    std::chrono::milliseconds expires = std::chrono::hours(1);
};

struct probe_arguments {};

struct conform_arguments {
    conform_arguments() = default;

    std::optional<std::string> junit;  ///< A file for the results as JUnit XML.
    std::uint64_t race_rounds = 20;
};

struct bench_arguments {
    std::uint64_t rounds = 100;
    std::uint64_t size = 4096;  ///< Bytes of each object.
};

struct version_arguments {};

using command = std::variant<version_arguments, init_arguments, demo_arguments, create_arguments, import_arguments,
                             list_arguments, show_arguments, snapshot_arguments, diff_arguments, heads_list_arguments,
                             heads_show_arguments, heads_verify_arguments, resolve_arguments, changes_arguments,
                             branch_create_arguments, branch_list_arguments, branch_delete_arguments,
                             branch_merge_arguments, cleanup_arguments, verify_arguments, repair_arguments,
                             presign_arguments, probe_arguments, conform_arguments, bench_arguments>;

/// A command line that can be run.
struct arguments {
    arguments() = default;

    common_arguments common;
    command wanted;
};

/// The user asked how to use the program.
struct help_text {
    std::string text;
    bool json = false;  ///< As below: in which form it is told that the text could not be written.
};

/// The command line makes no sense; `message` is one line.
struct usage_error {
    std::string message;
    bool json = false;  ///< `--json` is among the words.
};

std::variant<arguments, help_text, usage_error> parse_arguments(int count, char const* const* words);

/// Whether `--json` is among the words, whatever else is wrong with them.
bool asks_for_json(int count, char const* const* words) noexcept;

/// A place in history; a time means the last commit that is not later.
using point = std::variant<sequence, commit_id, time_ms>;

/// Digits are a seq, what begins as a date is a time (RFC 3339), anything else a commit id.
result<point> parse_point(std::string_view text);

/// A length of time: a whole number and `s`, `m`, `h`, `d` or `w`; never a number alone.
result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace headwater::cli
