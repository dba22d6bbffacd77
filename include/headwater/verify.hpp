// verify: reads a whole graph, folds every record again and says what is not as FORMAT says. Changes nothing.
// FORMAT section 4, "Verify / repair".
#pragma once

#include <headwater/clock.hpp>
#include <headwater/cost.hpp>
#include <headwater/export.hpp>
#include <headwater/names.hpp>
#include <headwater/object_store.hpp>
#include <headwater/task.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// One thing that is not as it should be, and where.
struct finding {
    enum class kind_type {
        hint_missing,        ///< No hint, though there are records.
        hint_stale,          ///< It names an older record than the newest.
        hint_ahead,          ///< It names a record that is not there.
        hint_garbage,        ///< It cannot be read.
        hint_wrong,          ///< It leads readers past the record that ends the stream.
        checkpoint_missing,  ///< A boundary has none, or a seq that a later record carries as its base.
        checkpoint_torn,     ///< It cannot be read.
        checkpoint_wrong,    ///< Its content is not what the records lead to.
        carry_wrong,         ///< A record's carry is not how its state differs from its base.
        digest_wrong,        ///< A record names another state than the records lead to.
        parent_break,        ///< A record's parent is not the record before it.
        gap,                 ///< A record is missing below the newest one.
        void_record,         ///< A record stands at or below the floor; cleanup will take it.
        record_torn,         ///< A record is empty or cannot be read.
        refused_change,      ///< A record does what no head allows, or follows the end of its stream.
        duplicate_key,       ///< A record leaves two live tables with one key.
        set_missing,         ///< A checkpoint names a tombstone set that is not there.
        set_wrong,           ///< A tombstone set is not what its name says.
        time_falls,          ///< A record's created_at is not later than the one before.
        half_done_create,    ///< A life without metadata, whose creation did not end.
        half_done_delete,    ///< A retire record, but metadata that says the stream is live.
        metadata_torn,       ///< A stream's metadata, a name or the graph's marker cannot be read.
        metadata_missing,    ///< A stream that began, since it has records or children, has no metadata.
        name_missing,        ///< A live stream has no name, so that nobody finds it.
        name_wrong,          ///< A name means a life that ended, while another lives.
        duplicate_life,      ///< A live stream beside another one, which is what their name means.
        parent_wrong,        ///< A branch's metadata names a parent, a fork or a commit that is not its own.
        end_wrong,           ///< A deleted branch's metadata names another end than its retire record.
        schema_wrong,        ///< An archived schema is not what its name says. Only `deep` looks.
        unknown_format,      ///< A newer format, or a lineage kind that this version does not know.
        stray_key,           ///< A key that FORMAT does not know, such as what a stopped write to a file left.
    };

    finding() = default;

    kind_type kind = kind_type::stray_key;
    bool corrupt = false;  ///< False: the protocol leaves this behind when a process is stopped, or it is harmless.
    std::string key;       ///< Of the object.
    std::string stream;    ///< Empty: of none.
    std::optional<sequence> seq;
    std::string detail;
};

/// `hint_missing`, …
HEADWATER_EXPORT std::string_view to_string(finding::kind_type kind) noexcept;

struct verify_options {
    /// Compares checkpoints byte for byte with what the records lead to, and reads every archived schema.
    bool deep = false;
};

struct verify_report {
    verify_report() = default;

    std::vector<finding> findings;
    std::uint64_t streams = 0;      ///< Looked at; retired ones whose history is complete too.
    std::uint64_t records = 0;      ///< Read.
    std::uint64_t checkpoints = 0;  ///< Read.
    cost spent;

    bool corrupt() const noexcept;
};

/// The most findings of one run; more are `limit_exceeded`.
inline constexpr std::size_t max_findings = 100'000;

/// Reads every object once, 50 records at a time. Findings are the answer, not errors. Errors: `not_found` (no graph),
/// `pruned` (cleanup overtook it: run it again), `limit_exceeded` and the store's own. Lifetime: store and clock must
/// outlive the task. Cancellation: at any point.
HEADWATER_EXPORT task<verify_report> verify(object_store& store, clock& time, verify_options options);

}  // namespace headwater
