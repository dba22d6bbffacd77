// One table for each JSON object that records, checkpoints, tombstone sets and intents share.
#include "src/format/record_parts.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace headwater {

namespace {

constexpr member<schema_identity> schema_members[] = {
    required<schema_identity, &schema_identity::identity_domain>("identity_domain"),
    required<schema_identity, &schema_identity::ir_hash>("ir_hash"),
    required<schema_identity, &schema_identity::identity_version>("identity_version"),
    required<schema_identity, &schema_identity::content_hash>("content_hash"),
};

constexpr member<pin> pin_members[] = {
    required<pin, &pin::target_version>("target_version"),     nullable<pin, &pin::staged_version>("staged_version"),
    nullable<pin, &pin::transaction_uuid>("transaction_uuid"), required<pin, &pin::entity_count>("entity_count"),
    optional<pin, &pin::table_branch>("table_branch"),         optional_object<pin, &pin::metadata>("metadata"),
};

/// A record's pin has a pin's members among its own.
template <auto Member>
constexpr auto of_version = [](auto& change) -> auto& { return change.version.*Member; };

constexpr member<pin_change> pin_change_members[] = {
    stable_table_id_member<pin_change>,
    incarnation_member<pin_change>,
    required<pin_change, &pin_change::table_key>("table_key"),
    required<pin_change, of_version<&pin::target_version>>("target_version"),
    nullable<pin_change, of_version<&pin::staged_version>>("staged_version"),
    nullable<pin_change, of_version<&pin::transaction_uuid>>("transaction_uuid"),
    required<pin_change, of_version<&pin::entity_count>>("entity_count"),
    optional<pin_change, of_version<&pin::table_branch>>("table_branch"),
    optional_object<pin_change, of_version<&pin::metadata>>("metadata"),
    optional<pin_change, &pin_change::schema_hash>("schema_hash"),
};

constexpr member<registration> registration_members[] = {
    stable_table_id_member<registration>,
    incarnation_member<registration>,
    required<registration, &registration::table_key>("table_key"),
    required<registration, &registration::location>("location"),
    optional<registration, &registration::schema_hash>("schema_hash"),
};

constexpr member<drop> drop_members[] = {
    stable_table_id_member<drop>,
    incarnation_member<drop>,
    required<drop, &drop::table_key>("table_key"),
};

constexpr member<rename> rename_members[] = {
    stable_table_id_member<rename>,
    incarnation_member<rename>,
    required<rename, &rename::from>("from"),
    required<rename, &rename::to>("to"),
};

constexpr member<head> head_members[] = {
    stable_table_id_member<head>,
    incarnation_member<head>,
    required<head, &head::table_key>("table_key"),
    required<head, &head::location>("location"),
    optional<head, &head::schema_hash>("schema_hash"),
    required<head, &head::registered_seq>("registered_seq"),
    nullable<head, &head::version>("pin"),
    nullable<head, &head::pinned_seq>("pinned_seq"),
    required<head, &head::head_commit_id>("head_commit_id"),
};

constexpr member<tombstone> tombstone_members[] = {
    stable_table_id_member<tombstone>,
    incarnation_member<tombstone>,
    required<tombstone, &tombstone::table_key>("table_key"),
    required<tombstone, &tombstone::location>("location"),
    nullable<tombstone, &tombstone::target_version>("target_version"),
    optional<tombstone, &tombstone::table_branch>("table_branch"),
    required<tombstone, &tombstone::seq>("seq"),
    required<tombstone, &tombstone::head_commit_id>("head_commit_id"),
};

constexpr member<state_header> header_members[] = {
    required<state_header, &state_header::seq>("seq"),
    nullable<state_header, &state_header::head_commit_id>("head_commit_id"),
    required<state_header, &state_header::created_at>("created_at"),
    nullable<state_header, &state_header::schema>("schema"),
};

using lineage_kind = lineage::kind_type;

constexpr std::pair<std::string_view, lineage_kind> lineage_kinds[] = {
    {"merge", lineage_kind::merge}, {"fast_forward", lineage_kind::fast_forward}, {"retire", lineage_kind::retire}};

constexpr member<lineage> not_for_retire(member<lineage> each)
{
    each.is_required = false;
    return each;
}

constexpr member<lineage> lineage_members[] = {
    required<lineage, &lineage::kind>("kind"),
    nullable<lineage, &lineage::source_stream>("source_stream"),
    nullable<lineage, &lineage::source_seq>("source_seq"),
    not_for_retire(required<lineage, &lineage::merged_parent_commit_id>("merged_parent_commit_id")),
};

/// Whether two heads have the same table_key. Sorts hashes, and looks at the keys themselves only if two of those
/// agree.
bool has_duplicate_key(std::vector<head> const& heads)
{
    std::vector<std::size_t> hashes;
    hashes.reserve(heads.size());
    for (auto const& each : heads) hashes.push_back(std::hash<std::string>()(each.table_key));
    std::ranges::sort(hashes);
    if (std::ranges::adjacent_find(hashes) == hashes.end()) return false;

    std::vector<std::string_view> keys;
    keys.reserve(heads.size());
    for (auto const& each : heads) keys.push_back(each.table_key);
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

template <class T, std::size_t N>
void write_known(json_writer& out, member<T> const (&table)[N], T const& value)
{
    out.begin_object();
    write_members(out, table, value);
    out.end_object();
}

}  // namespace

bool is_head_member(std::string_view name) noexcept
{
    return std::ranges::find(head_members, name, &member<head>::name) != std::end(head_members);
}

bool read_value(json_reader& in, lineage_kind& out)
{
    std::string name;
    if (!in.read(name)) return false;
    auto const* const found = std::ranges::find(lineage_kinds, name, &std::pair<std::string_view, lineage_kind>::first);
    if (found == std::end(lineage_kinds)) {
        return in.fail(errc::unsupported, "a kind of lineage that this version does not know");
    }
    out = found->second;
    return true;
}

bool read_value(json_reader& in, schema_identity& out) { return read_members(in, schema_members, out); }
bool read_value(json_reader& in, pin& out) { return read_members(in, pin_members, out); }
bool read_value(json_reader& in, pin_change& out) { return read_members(in, pin_change_members, out); }
bool read_value(json_reader& in, registration& out) { return read_members(in, registration_members, out); }
bool read_value(json_reader& in, drop& out) { return read_members(in, drop_members, out); }
bool read_value(json_reader& in, rename& out) { return read_members(in, rename_members, out); }
bool read_value(json_reader& in, tombstone& out) { return read_members(in, tombstone_members, out); }

bool read_value(json_reader& in, lineage& out)
{
    if (!read_members(in, lineage_members, out)) return false;
    if (out.kind == lineage_kind::retire) {
        out = lineage();
        out.kind = lineage_kind::retire;
        return true;
    }
    return !out.merged_parent_commit_id.empty() || in.fail_member("merged_parent_commit_id", "the member is missing");
}

bool read_value(json_reader& in, head& out)
{
    if (!read_members(in, head_members, out)) return false;
    return out.version.has_value() == out.pinned_seq.has_value()
           || in.fail("`pin` without `pinned_seq`, or without `pin`");
}

bool read_value(json_reader& in, std::vector<head>& out)
{
    auto const ascends = [&in](head const& now, head const& before) {
        return now.table.stable_table_id > before.table.stable_table_id
               || in.fail("heads are sorted by stable_table_id, and have one incarnation of each");
    };
    if (!read_list(in, out, ascends)) return false;
    return !has_duplicate_key(out) || in.fail("two live heads have the same table_key");
}

bool read_value(json_reader& in, std::vector<tombstone>& out)
{
    return read_list(in, out, [&in](tombstone const& now, tombstone const& before) {
        return now.table > before.table || in.fail("tombstones are sorted by identity, each once");
    });
}

void write_value(json_writer& out, lineage_kind value)
{
    auto const* const found =
        std::ranges::find(lineage_kinds, value, &std::pair<std::string_view, lineage_kind>::second);
    out.value(found->first);
}

void write_value(json_writer& out, schema_identity const& value) { write_object(out, schema_members, value); }
void write_value(json_writer& out, pin const& value) { write_object(out, pin_members, value); }
void write_value(json_writer& out, pin_change const& value) { write_object(out, pin_change_members, value); }
void write_value(json_writer& out, registration const& value) { write_object(out, registration_members, value); }
void write_value(json_writer& out, drop const& value) { write_object(out, drop_members, value); }
void write_value(json_writer& out, rename const& value) { write_object(out, rename_members, value); }
void write_value(json_writer& out, head const& value) { write_object(out, head_members, value); }
void write_value(json_writer& out, tombstone const& value) { write_object(out, tombstone_members, value); }

void write_value(json_writer& out, lineage const& value)
{
    if (value.kind != lineage_kind::retire) return write_object(out, lineage_members, value);
    out.begin_object();
    lineage_members[0].write(out, lineage_members[0].name, value);
    out.end_object();
}

void write_canonical(json_writer& out, head const& value) { write_known(out, head_members, value); }
void write_canonical(json_writer& out, tombstone const& value) { write_known(out, tombstone_members, value); }
void write_canonical(json_writer& out, state_header const& value) { write_known(out, header_members, value); }

}  // namespace headwater
