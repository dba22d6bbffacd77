// One row for each verb, and one for each shape that several of them share; … stands for further members.
#include "tools/headwater/answers.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <array>

namespace headwater::cli {

namespace {

struct named_shape {
    std::string_view name;
    std::string_view shape;
};

constexpr named_shape verb_answers[] = {
    {"init", R"({"graph":S,"identity_domain":S,"checkpoint_interval":N,"carry_limit":N,"created_at":N,"cost":COST})"},
    {"demo", R"({"graph":S,"commits":N,"tables":N,"seq":N,"commit_id":S,"seconds":F,"commits_per_second":F,
  "requests_per_commit":F,"cost":COST})"},
    {"commit create", R"({"seq":N,"commit_id":S,"stream":S,"attempts":N,"repeated"?:B,"cost":COST})"},
    {"commit import", R"({"seq":N,"commit_id":S,"stream":S,"attempts":N,"repeated"?:B,"cost":COST})"},
    {"commit list", "RECORD"},
    {"commit show", "RECORD"},
    {"snapshot", R"({"graph":S,"branch":S,"stream":S,"seq":N,"commit_id":S|null,"created_at":N,"schema":SCHEMA|null,
  "tables":[HEAD],"state_digest":S,"degraded"?:B,"cost":COST})"},
    {"diff", R"({"branch":S,"from":{"seq":N,"commit_id":S|null,"created_at":N},
  "to":{"seq":N,"commit_id":S|null,"created_at":N},"schema_changed":B,
  "tables":[{"stable_table_id":N,"incarnation":N,"changes":[S],"before":HEAD|null,"after":HEAD|null}],"cost":COST})"},
    {"heads list", R"({"branch":S,"stream":S,"seq":N,"commit_id":S|null,"heads":[HEAD],"tombstones":[TOMBSTONE],
  "cost":COST})"},
    {"heads show", R"({"branch":S,"stream":S,"seq":N,"commit_id":S|null,"heads":[HEAD],"tombstones":[TOMBSTONE],
  "cost":COST})"},
    {"heads verify", R"({"branch":S,"seq":N,"commit_id":S|null,
  "findings":[{"finding":S,"stable_table_id":N,"incarnation":N,"detail":S}],"cost":COST})"},
    {"resolve", R"({"outcome":S,"seq":N,"commit_id":S,"stream":S,"actual"?:S,"cost":COST})"},
    {"changes poll", R"({"seq":N,"commit_id":S,"parent_commit_id":S|null,"created_at":N,"actor":S|null,
  "merged_parent_commit_id"?:S,"changes":[CHANGE],"cursor":S}
  and after each page {"cursor":S,"caught_up":B,"cost":COST})"},
    {"branch create",
     R"({"branch":S,"stream":S,"parent":POSITION|null,"creator":S,"created_at":N,"floor":N,"cost":COST})"},
    {"branch list",
     R"({"branches":[{"branch":S,"stream":S,"parent":POSITION|null,"creator":S,"created_at":N,"floor":N}],
  "cost":COST})"},
    {"branch delete", R"({"branch":S,"stream":S,"final_seq":N,"cost":COST})"},
    {"branch merge", R"({"outcome":S,"seq":N,"commit_id":S|null,"stream":S,"source":POSITION,"base":S|null,"attempts":N,
  "source_deleted":B,"cost":COST})"},
    {"cleanup", R"({"confirmed":B,"streams":[{"stream":S,"retired":B,"pinned":B,"newest":N,"floor_before":N,"floor":N,
  "records":N,"checkpoints":N,"records_later":N,"checkpoints_later":N,"fault":S|null}],"unfinished":[S],
  "tombstone_sets":N,"schemas":N,"leftovers":N,"hints":N,"due":S|null,"cost":COST}
  and in the file of --roots {"stable_table_id":N,"incarnation":N,"table_key":S,"location":S,"target_version":N,
  "staged_version":N|null,"transaction_uuid":S|null,"table_branch":S|null})"},
    {"verify", R"({"corrupt":B,"streams":N,"records":N,"checkpoints":N,
  "findings":[{"finding":S,"corrupt":B,"key":S,"stream":S|null,"seq":N|null,"detail":S}],"cost":COST})"},
    {"repair", R"({"corrupt":B,"steps":[{"outcome":S,"finding":S,"corrupt":B,"key":S,"stream":S|null,"seq":N|null,
  "detail":S}],"cost":COST})"},
    {"presign", R"({"url":S})"},
    {"probe", R"({"store":S,"writable":B,"create_once":B,"one_winner":B,"conditional_update":B,"list_allowed":B,
  "ordered_listing":B,"if_match":S,"clock_offset_ms":N|null,
  "findings":[{"finding":S,"status":N|null,"request_id":S|null}],"cost":COST})"},
    {"conform", R"({"store":S,"conforms":B,"passed":N,"failed":N,"differs":N,"not_applicable":N,"left_behind":N,
  "checks":[{"check":S,"theme":S,"required":B,"outcome":S,"message":S|null,"status":N|null,"request_id":S|null,
  "ms":N}],"cost":COST})"},
    {"bench", R"({"store":S,"rounds":N,"size":N,
  "operations":[{"operation":S,"count":N,"p50_ms":F,"p90_ms":F,"p99_ms":F,"max_ms":F}],"left_behind":N,"cost":COST})"},
    {"version", R"({"version":S,"format":N})"},
};

// Each after those that it stands in.
constexpr named_shape shared_shapes[] = {
    {"RECORD", R"({"format":N,"seq":N,"commit_id":S,"parent_commit_id":S|null,"stream":S,"actor":S|null,"created_at":N,
  "schema":SCHEMA|null,"pins":[{"stable_table_id":N,"incarnation":N,"table_key":S,VERSION,"schema_hash"?:S,…}],
  "registrations":[{"stable_table_id":N,"incarnation":N,"table_key":S,"location":S,"schema_hash"?:S,…}],
  "tombstones":[{"stable_table_id":N,"incarnation":N,"table_key":S,…}],
  "renames":[{"stable_table_id":N,"incarnation":N,"from":S,"to":S,…}],"lineage":{"kind":S,…}|null,
  "idempotency_key":S|null,"source"?:{…},"carry"?:{…},"state_digest"?:S,…})"},
    {"HEAD", R"({"stable_table_id":N,"incarnation":N,"table_key":S,"location":S,"schema_hash"?:S,"registered_seq":N,
  "pin":{VERSION}|null,"pinned_seq":N|null,"head_commit_id":S,…})"},
    {"VERSION",
     R"("target_version":N,"staged_version":N|null,"transaction_uuid":S|null,"entity_count":N,"table_branch"?:S,
  "metadata"?:{…})"},
    {"TOMBSTONE", R"({"stable_table_id":N,"incarnation":N,"table_key":S,"location":S,"target_version":N|null,
  "table_branch"?:S,"seq":N,"head_commit_id":S})"},
    {"CHANGE", R"({"stable_table_id":N,"incarnation":N,"table_key":S,"changes":[S],"renamed_from"?:S,"location"?:S,
  "target_version"?:N,"entity_count"?:N,"table_branch"?:S,"schema_hash"?:S})"},
    {"POSITION", R"({"stream":S,"seq":N,"commit_id":S|null})"},
    {"SCHEMA", R"({"identity_domain":S,"ir_hash":S,"identity_version":N,"content_hash":S})"},
    {"COST", R"({"requests":N,"open_requests":N,"attempts":N,"rounds":N,"bytes_read":N,"bytes_written":N})"},
};

bool prints_lines(std::string_view verb)
{
    constexpr std::array<std::string_view, 3> verbs{"commit import", "commit list", "changes poll"};
    return std::ranges::find(verbs, verb) != verbs.end();
}

}  // namespace

std::string answer_help(std::string_view verb)
{
    auto const* const found = std::ranges::find(verb_answers, verb, &named_shape::name);
    BOOST_ASSERT(found != std::end(verb_answers));
    std::string out(prints_lines(verb) ? "With --json, lines of " : "With --json ");
    out += found->shape;
    for (auto const& each : shared_shapes) {
        if (out.find(each.name) == out.npos) continue;
        out += ",\nwhere ";
        out += each.name;
        out += " is ";
        out += each.shape;
    }
    return out + ".\nS is a string, N a whole number, F any number, B true or false; what has a ? may be missing.\n";
}

}  // namespace headwater::cli
