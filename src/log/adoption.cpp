// A three-way comparison by stable_table_id; then the keys that it would leave.
#include "src/log/adoption.hpp"

#include <algorithm>
#include <map>

namespace headwater {

namespace {

using adoption_why = merge_question::why_type;
using answer_kind = merge_answer::kind_type;

/// How many conflicts a message spells out; the facts have all.
constexpr std::size_t max_conflicts_told = 10;

// What makes a table what it is; which commit made it so does not count.
bool alike_heads(head const* left, head const* right)
{
    if (!left || !right) return left == right;
    return left->table == right->table && left->table_key == right->table_key && left->location == right->location
           && left->schema_hash == right->schema_hash && left->version == right->version
           && left->unknown == right->unknown;
}

std::optional<head> copied_head(head const* from) { return from ? std::optional(*from) : std::nullopt; }

merge_question question_of(adoption_why what, std::uint64_t id, head const* base, head const* source,
                           head const* target)
{
    merge_question out;
    out.why = what;
    out.stable_table_id = id;
    out.base = copied_head(base);
    out.source = copied_head(source);
    out.target = copied_head(target);
    for (auto const* const each : {target, source, base}) {
        if (each && out.table_key.empty()) out.table_key = each->table_key;
    }
    return out;
}

pin_change adopted_pin(head const& from)
{
    pin_change out;
    out.table = from.table;
    out.table_key = from.table_key;
    out.version = *from.version;
    out.schema_hash = from.schema_hash;
    out.unknown = from.unknown;
    return out;
}

registration adopted_registration(head const& from)
{
    registration out;
    out.table = from.table;
    out.table_key = from.table_key;
    out.location = from.location;
    out.schema_hash = from.schema_hash;
    out.unknown = from.unknown;
    return out;
}

void add_drop(intent& to, head const& of)
{
    drop out;
    out.table = of.table;
    out.table_key = of.table_key;
    to.tombstones.push_back(std::move(out));
}

void add_rename(intent& to, head const& of, std::string const& key)
{
    if (of.table_key == key) return;
    rename out;
    out.table = of.table;
    out.from = of.table_key;
    out.to = key;
    to.renames.push_back(std::move(out));
}

// A head's location stays, a pin cannot be taken back, nor what a pin or a registration has said be unsaid.
bool can_become(head const& from, head const& to)
{
    bool const unpins = from.version && !to.version;
    bool const unhashes = from.schema_hash && !to.schema_hash;
    bool const unpinned_change = !to.version && (from.schema_hash != to.schema_hash || from.unknown != to.unknown);
    return from.location == to.location && !unpins && !unhashes && !unpinned_change;
}

class adoption_step {
public:
    adoption_step(snapshot const& base, snapshot const& source, snapshot const& target,
                  std::vector<tombstone> const& used, merge_resolver const& resolve)
        : base_(base), source_(source), target_(target), used_(used), resolve_(resolve)
    {
    }

    adoption run()
    {
        std::vector<std::uint64_t> ids;
        for (auto const* const each : {&base_, &source_, &target_}) {
            for (auto const& head : each->heads()) ids.push_back(head.table.stable_table_id);
        }
        std::ranges::sort(ids);
        auto const rest = std::ranges::unique(ids);
        ids.erase(rest.begin(), rest.end());
        for (auto const id : ids) take(id);
        take_schema();
        check_keys();
        return std::move(out_);
    }

private:
    void take(std::uint64_t id)
    {
        auto const* const base = base_.find(id);
        auto const* const source = source_.find(id);
        auto const* const target = target_.find(id);
        bool const by_source = !alike_heads(source, base);
        bool const by_target = !alike_heads(target, base);
        // Two that did the same agree. Of what lived on the source alone in between, nothing is left to say: the target
        // never had it.
        if (!by_source || alike_heads(source, target)) return keep(target);
        if (by_target) return ask(question_of(adoption_why::both_changed, id, base, source, target), source, target);
        if (was_used(source, target)) {
            return ask(question_of(adoption_why::used_before, id, base, source, target), source, target);
        }
        if (!follow(source, target))
            conflict(question_of(adoption_why::both_changed, id, base, source, target), target);
    }

    bool was_used(head const* source, head const* target) const
    {
        bool const registers = source && !(target && target->table == source->table);
        return registers && std::ranges::find(used_, source->table, &tombstone::table) != used_.end();
    }

    void ask(merge_question asked, head const* source, head const* target)
    {
        auto const answer = resolve_ ? resolve_(asked) : merge_answer();
        switch (answer.kind) {
        case answer_kind::keep_target: return keep(target);
        case answer_kind::take_source:
            if (!was_used(source, target) && follow(source, target)) return;
            break;
        case answer_kind::take_pin:
            if (!target || !answer.version) break;
            keep(target);
            out_.changes.pins.push_back(merged_pin(*target, *answer.version));
            return;
        case answer_kind::unresolved: break;
        }
        conflict(std::move(asked), target);
    }

    static pin_change merged_pin(head const& of, pin version)
    {
        pin_change out;
        out.table = of.table;
        out.table_key = of.table_key;
        out.version = std::move(version);
        return out;
    }

    void conflict(merge_question asked, head const* target)
    {
        out_.conflicts.push_back(std::move(asked));
        keep(target);
    }

    void keep(head const* target)
    {
        if (target) keys_[target->table_key].push_back(target->table.stable_table_id);
    }

    // Makes of the target's head what the source's is; false where no commit can.
    bool follow(head const* source, head const* target)
    {
        bool const same_table = source && target && source->table == target->table;
        if (same_table && !can_become(*target, *source)) return false;
        intent& to = out_.changes;
        if (target && !same_table) add_drop(to, *target);
        if (source && !same_table) to.registrations.push_back(adopted_registration(*source));
        if (same_table) add_rename(to, *target, source->table_key);
        bool const same_version = same_table && source->version == target->version
                                  && source->schema_hash == target->schema_hash && source->unknown == target->unknown;
        if (source && source->version && !same_version) to.pins.push_back(adopted_pin(*source));
        keep(source);
        return true;
    }

    void take_schema()
    {
        auto const& base = base_.schema();
        auto const& source = source_.schema();
        auto const& target = target_.schema();
        if (source == base || source == target) return;
        bool adopted = target == base;
        if (!adopted) {
            merge_question asked;
            asked.why = adoption_why::schema_changed;
            auto const answer = resolve_ ? resolve_(asked) : merge_answer();
            if (answer.kind == answer_kind::keep_target) return;
            adopted = answer.kind == answer_kind::take_source && source;
            if (!adopted) out_.conflicts.push_back(std::move(asked));
        }
        if (adopted) out_.changes.schema = source;
    }

    // Two live tables with one key, whoever brought them.
    void check_keys()
    {
        for (auto const& [key, ids] : keys_) {
            if (ids.size() < 2) continue;
            for (auto const id : ids) {
                auto asked = question_of(adoption_why::one_key, id, base_.find(id), source_.find(id), target_.find(id));
                asked.table_key = key;
                out_.conflicts.push_back(std::move(asked));
            }
        }
    }

    snapshot const& base_;
    snapshot const& source_;
    snapshot const& target_;
    std::vector<tombstone> const& used_;
    merge_resolver const& resolve_;
    adoption out_;
    std::map<std::string, std::vector<std::uint64_t>> keys_;  // What the merge leaves, and whose it is.
};

std::string spelled_conflict(merge_question const& asked)
{
    if (asked.why == adoption_why::schema_changed) return "schema";
    return std::to_string(asked.stable_table_id) + ' ' + asked.table_key;
}

std::string_view reason_of(adoption_why what)
{
    switch (what) {
    case adoption_why::both_changed: return "changed on both branches";
    case adoption_why::used_before: return "dropped on the target, which ends an identity";
    case adoption_why::one_key: return "two tables would have that key";
    case adoption_why::schema_changed: return "changed on both branches";
    }
    return "";
}

}  // namespace

adoption adopt(snapshot const& base, snapshot const& source, snapshot const& target, std::vector<tombstone> const& used,
               merge_resolver const& resolve)
{
    adoption_step step(base, source, target, used, resolve);
    return step.run();
}

error conflicts_of(std::vector<merge_question> const& questions)
{
    diagnostics out("merge", "", "");
    for (auto const& each : questions) {
        auto const which = spelled_conflict(each);
        if (out.facts.size() < max_conflicts_told) {
            out.detail += (out.detail.empty() ? "" : ", ") + which + " (" + std::string(reason_of(each.why)) + ")";
        }
        out.facts.emplace_back("conflict", which);
    }
    if (out.facts.size() > max_conflicts_told) {
        out.detail += " and " + std::to_string(out.facts.size() - max_conflicts_told) + " more";
    }
    return {errc::merge_conflict, std::move(out)};
}

}  // namespace headwater
