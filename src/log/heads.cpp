// The RFC-024 transitions, one function each; every guard names the identity and what stands in the way.
#include "src/log/heads.hpp"

#include "src/format/members.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

namespace headwater {

namespace {

std::string describe(table_identity table)
{
    return "table " + std::to_string(table.stable_table_id) + "/" + std::to_string(table.incarnation);
}

char const* name_of(head_event event) noexcept
{
    switch (event) {
    case head_event::registration: return "registration";
    case head_event::pin:
    case head_event::hand_off: return "pin";
    case head_event::rename: return "rename";
    case head_event::drop: return "tombstone";
    }
    return "change";
}

// A later member of one name takes the earlier one's place, so that a fold over a checkpoint gives the same heads as a
// fold over the records. A head's own names never come from unknown members.
void merge_unknown(std::vector<unknown_member>& into, std::vector<unknown_member> const& from)
{
    for (auto const& member : from) {
        if (is_head_member(member.name)) continue;
        auto const same = std::ranges::find(into, member.name, &unknown_member::name);
        if (same == into.end()) {
            into.push_back(member);
        } else {
            *same = member;
        }
    }
}

}  // namespace

std::string refusal_text(head_event event, table_identity table, head_verdict verdict, head const* live)
{
    std::string const subject = std::string(name_of(event)) + ": " + describe(table) + ' ';
    switch (verdict) {
    case head_verdict::live_already: return subject + "is live already" + (live ? " as " + describe(live->table) : "");
    case head_verdict::used_before: return subject + "was used before; give it another incarnation";
    case head_verdict::other_key: return subject + "is called " + (live ? live->table_key : "otherwise");
    default: break;
    }
    return subject + "is not live" + (live ? "; " + describe(live->table) + " is" : "");
}

head_changes head_changes::of(record const& from)
{
    return {from.tombstones, from.renames, from.registrations, from.pins};
}

head_changes head_changes::of(intent const& from)
{
    return {from.tombstones, from.renames, from.registrations, from.pins};
}

/// One application of changes: carries what all transitions need.
class change_step {
public:
    change_step(head_table& table, sequence seq, commit_id const& id, errc refusal)
        : table_(table), seq_(seq), id_(id), refusal_(refusal)
    {
    }

    result<void> drop_head(drop const& wanted)
    {
        auto found = live(wanted.table, wanted.table_key, head_event::drop);
        if (!found) return found.error();
        head const& gone = **found;
        tombstone stone;
        stone.table = gone.table;
        stone.table_key = gone.table_key;
        stone.location = gone.location;
        if (gone.version) {
            stone.target_version = gone.version->target_version;
            stone.table_branch = gone.version->table_branch;
        }
        stone.seq = seq_;
        stone.head_commit_id = id_;
        delta_.dropped.push_back(std::move(stone));
        touch(gone.table);
        table_.erase(wanted.table.stable_table_id);
        return {};
    }

    result<void> rename_heads(std::vector<rename> const& wanted)
    {
        std::vector<head*> found;
        for (auto const& each : wanted) {
            auto at = live(each.table, each.from, head_event::rename);
            if (!at) return at.error();
            found.push_back(*at);
        }
        for (std::size_t i = 0; i != wanted.size(); ++i) {
            edit(*found[i], [&](head& value) { value.table_key = wanted[i].to; });
            keys_changed_ = true;
        }
        return {};
    }

    result<void> register_head(registration const& wanted)
    {
        if (auto allowed = check(wanted.table, wanted.table_key, head_event::registration); !allowed) {
            return allowed.error();
        }
        head value;
        value.table = wanted.table;
        value.table_key = wanted.table_key;
        value.location = wanted.location;
        value.schema_hash = wanted.schema_hash;
        value.registered_seq = seq_;
        value.head_commit_id = id_;
        merge_unknown(value.unknown, wanted.unknown);
        touch(wanted.table);
        table_.put(std::move(value));
        keys_changed_ = true;
        return {};
    }

    result<void> pin_head(pin_change const& wanted)
    {
        auto found = live(wanted.table, wanted.table_key, head_event::pin);
        if (!found) return found.error();
        edit(**found, [&](head& value) {
            value.version = wanted.version;
            value.pinned_seq = seq_;
            if (wanted.schema_hash) value.schema_hash = wanted.schema_hash;
            merge_unknown(value.unknown, wanted.unknown);
        });
        return {};
    }

    result<void> check_keys() const
    {
        if (!keys_changed_) return {};
        if (head const* twice = table_.duplicate_key()) {
            return error(refusal_, "two live tables would have the key " + twice->table_key);
        }
        return {};
    }

    template <class Change>
    result<void> once_each(std::vector<Change> const& list, char const* what) const
    {
        std::set<table_identity> seen;
        for (auto const& each : list) {
            if (!seen.insert(each.table).second) {
                return error(refusal_, describe(each.table) + " stands twice in the " + what);
            }
        }
        return {};
    }

    head_delta take()
    {
        std::ranges::sort(delta_.touched);
        auto const rest = std::ranges::unique(delta_.touched);
        delta_.touched.erase(rest.begin(), rest.end());
        return std::move(delta_);
    }

private:
    void touch(table_identity table) { delta_.touched.push_back(table.stable_table_id); }

    template <class Edit>
    void edit(head& value, Edit change)
    {
        table_.digest_.subtract(canonical_bytes(value));
        change(value);
        value.head_commit_id = id_;
        table_.digest_.add(canonical_bytes(value));
        touch(value.table);
    }

    // An identity dropped by an earlier record is known to the tombstone set alone: whoever publishes asks that too.
    head_state state_of(table_identity table, std::string const& key) const
    {
        if (head const* found = table_.find(table.stable_table_id)) {
            if (found->table != table) return head_state::other_incarnation;
            return found->table_key == key ? head_state::live : head_state::live_as_other_key;
        }
        bool const dropped = std::ranges::find(delta_.dropped, table, &tombstone::table) != delta_.dropped.end();
        return dropped ? head_state::tombstoned : head_state::absent;
    }

    result<void> check(table_identity table, std::string const& key, head_event event) const
    {
        auto const verdict = judge(state_of(table, key), event);
        if (verdict == head_verdict::allowed) return {};
        return error(refusal_, refusal_text(event, table, verdict, table_.find(table.stable_table_id)));
    }

    result<head*> live(table_identity table, std::string const& key, head_event event)
    {
        if (auto allowed = check(table, key, event); !allowed) return allowed.error();
        return &*table_.lower(table.stable_table_id);
    }

    head_table& table_;
    sequence seq_;
    commit_id const& id_;
    errc refusal_;
    head_delta delta_;
    bool keys_changed_ = false;
};

head_table::head_table(std::vector<head> heads) : heads_(std::move(heads))
{
    for (auto const& each : heads_) digest_.add(canonical_bytes(each));
}

std::vector<head>::iterator head_table::lower(std::uint64_t stable_table_id) noexcept
{
    return std::ranges::lower_bound(heads_, stable_table_id, {},
                                    [](head const& each) { return each.table.stable_table_id; });
}

head const* head_table::find(std::uint64_t stable_table_id) const noexcept
{
    auto const at = const_cast<head_table*>(this)->lower(stable_table_id);  // NOLINT: no change through it
    return at != heads_.end() && at->table.stable_table_id == stable_table_id ? &*at : nullptr;
}

void head_table::put(head value)
{
    auto const at = lower(value.table.stable_table_id);
    digest_.add(canonical_bytes(value));
    if (at != heads_.end() && at->table.stable_table_id == value.table.stable_table_id) {
        digest_.subtract(canonical_bytes(*at));
        *at = std::move(value);
    } else {
        heads_.insert(at, std::move(value));
    }
}

void head_table::erase(std::uint64_t stable_table_id)
{
    auto const at = lower(stable_table_id);
    if (at == heads_.end() || at->table.stable_table_id != stable_table_id) return;
    digest_.subtract(canonical_bytes(*at));
    heads_.erase(at);
}

head const* head_table::duplicate_key() const
{
    std::unordered_set<std::string_view> seen;
    seen.reserve(heads_.size());
    for (auto const& each : heads_) {
        if (!seen.insert(each.table_key).second) return &each;
    }
    return nullptr;
}

result<head_delta> head_table::change(head_changes const& wanted, sequence seq, commit_id const& id, errc refusal)
{
    change_step step(*this, seq, id, refusal);
    for (auto const& checked :
         {step.once_each(wanted.drops, "tombstones"), step.once_each(wanted.renames, "renames"),
          step.once_each(wanted.registrations, "registrations"), step.once_each(wanted.pins, "pins")}) {
        if (!checked) return checked.error();
    }
    for (auto const& each : wanted.drops) {
        if (auto done = step.drop_head(each); !done) return done.error();
    }
    if (auto done = step.rename_heads(wanted.renames); !done) return done.error();
    for (auto const& each : wanted.registrations) {
        if (auto done = step.register_head(each); !done) return done.error();
    }
    for (auto const& each : wanted.pins) {
        if (auto done = step.pin_head(each); !done) return done.error();
    }
    if (auto done = step.check_keys(); !done) return done.error();
    return step.take();
}

}  // namespace headwater
