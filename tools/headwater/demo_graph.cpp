// The life of the tables. Which ones a commit touches is skewed on purpose: a few are hot in each period, as in life.
#include "tools/headwater/demo_graph.hpp"

#include <headwater/stream_metadata.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headwater::cli {

namespace {

constexpr std::uint64_t period = default_checkpoint_interval;
constexpr std::uint64_t growing_percent = 40;      // Of the history: until then the graph grows to its size.
constexpr std::uint64_t first_batch = 6;           // Tables of the first commit.
constexpr std::uint64_t max_registrations = 2;     // Of any later commit, boundaries apart.
constexpr std::uint64_t max_at_boundary = 10'000;  // Keeps a record below its cap.
constexpr std::uint64_t max_pins = 5;
constexpr std::size_t kept_for_growth = 27;       // Of max_touched, while the graph grows.
constexpr std::uint64_t staged_bit = 1ull << 63;  // A staged version is not a number to count with.

constexpr std::array<std::string_view, 30> nouns = {
    "Person",  "Company",  "Product",  "Order",   "Account", "Invoice", "Address",  "City",      "Country",  "Event",
    "Device",  "Document", "Project",  "Task",    "Team",    "Ticket",  "Shipment", "Warehouse", "Supplier", "Contract",
    "Payment", "Review",   "Campaign", "Session", "Article", "Topic",   "Skill",    "Course",    "Vehicle",  "Sensor"};
constexpr std::array<std::string_view, 6> aspects = {"", "Profile", "History", "Note", "Metric", "Group"};
constexpr std::array<std::string_view, 20> verbs = {"Knows",     "WorksAt",    "Owns",     "Bought",   "LocatedIn",
                                                    "PartOf",    "Manages",    "Mentions", "Follows",  "AssignedTo",
                                                    "ShippedTo", "SuppliedBy", "PaidBy",   "Reviewed", "Attended",
                                                    "DependsOn", "Replaces",   "Authored", "Uses",     "RelatedTo"};
constexpr std::array<std::string_view, 6> actors = {"act-ana",       "act-benoit",   "act-chidi",
                                                    "svc-ingestion", "svc-resolver", "svc-embeddings"};
constexpr std::string_view renamed = "Legacy";

std::string numbered(std::string name, std::uint64_t round)
{
    return round == 0 ? std::move(name) : std::move(name) + std::to_string(round + 1);
}

std::string node_key(std::uint64_t index)
{
    auto const noun = nouns[index % nouns.size()];
    auto const aspect = aspects[index / nouns.size() % aspects.size()];
    return numbered("node:" + std::string(noun) + std::string(aspect), index / (nouns.size() * aspects.size()));
}

// Plain verbs first, then a verb for each noun.
std::string edge_key(std::uint64_t index)
{
    auto const verb = verbs[index % verbs.size()];
    auto const round = index / verbs.size();
    if (round == 0) return "edge:" + std::string(verb);
    auto const noun = nouns[(round - 1) % nouns.size()];
    return numbered("edge:" + std::string(noun) + std::string(verb), (round - 1) / nouns.size());
}

std::string location_of(std::string_view key, std::string_view suffix)
{
    std::string out(key);
    std::ranges::replace(out, ':', '/');
    return "tables/" + out + '-' + std::string(suffix);
}

}  // namespace

demo_graph::demo_graph(std::uint64_t seed, std::uint64_t tables, std::uint64_t commits, std::string identity_domain)
    : chance_(make_seeded_random(seed)), tables_(tables), commits_(commits)
{
    schema_.identity_domain = std::move(identity_domain);
}

intent demo_graph::next()
{
    begin_commit();
    intent out;
    if (seq_ == 1 || below(120) == 0) change_schema(out);
    if (happens(4)) drop_one(out);
    if (happens(3)) rename_one(out);
    register_some(out);
    pin_some(out);
    sign(out);
    return out;
}

void demo_graph::begin_commit()
{
    changed_.clear();
    bool const period_begins = seq_++ % period == 0;
    if (!period_begins) return;
    touched_ = 0;
    for (auto& each : live_) each.touched = false;
}

std::string demo_graph::hex(std::size_t digits)
{
    constexpr std::string_view alphabet = "0123456789abcdef";
    std::string out;
    while (out.size() < digits) {
        auto bits = chance_->next();
        for (int nibble = 0; nibble < 16 && out.size() < digits; ++nibble, bits >>= 4) out += alphabet[bits & 15];
    }
    return out;
}

// Version 4, as RFC 9562 lays it out.
std::string demo_graph::uuid()
{
    auto out = hex(36);
    for (auto const at : {8, 13, 18, 23}) out[at] = '-';
    out[14] = '4';
    out[19] = "89ab"[below(4)];
    return out;
}

// --- changes ---------------------------------------------------------------------------------------------------------

void demo_graph::change_schema(intent& out)
{
    ++schema_.identity_version;
    schema_.ir_hash = sha256();
    schema_.content_hash = sha256();
    out.schema = schema_;
}

void demo_graph::drop_one(intent& out)
{
    if (seq_ < period || live_.size() * 2 < tables_ || live_.size() < 2) return;
    auto* const one = any_table();
    if (!one || !touch(*one)) return;
    drop gone;
    gone.table = one->identity;
    gone.table_key = one->key;
    dropped_keys_.push_back(one->key);
    out.tombstones.push_back(std::move(gone));
    live_.erase(live_.begin() + (one - live_.data()));
}

// To and fro between a name and its renamed form, which no other table can have.
void demo_graph::rename_one(intent& out)
{
    auto* const one = any_table();
    if (!one || !touch(*one)) return;
    rename change;
    change.table = one->identity;
    change.from = one->key;
    change.to = one->key.ends_with(renamed) ? one->key.substr(0, one->key.size() - renamed.size())
                                            : one->key + std::string(renamed);
    one->key = change.to;
    out.renames.push_back(std::move(change));
}

void demo_graph::register_some(intent& out)
{
    std::uint64_t const missing = target() - std::min<std::uint64_t>(target(), live_.size());
    for (auto left = std::min(missing, most_registrations()); left > 0; --left) {
        // A name comes back with another table behind it, at times.
        bool const again = !dropped_keys_.empty() && happens(40) && out.tombstones.empty();
        auto key = again ? std::move(dropped_keys_.back()) : fresh_key();
        if (again) dropped_keys_.pop_back();
        out.registrations.push_back(register_table(std::move(key)));
        if (happens(80)) out.pins.push_back(pin_table(live_.back()));
    }
}

void demo_graph::pin_some(intent& out)
{
    for (auto left = 1 + below(max_pins); left > 0; --left) {
        auto* const one = any_table();
        if (!one || !touch(*one)) continue;
        out.pins.push_back(pin_table(*one));
    }
}

void demo_graph::sign(intent& out)
{
    out.actor = std::string(actors[below(actors.size())]);
    bool const service = out.actor->starts_with("svc-");
    if (service && happens(60)) out.idempotency_key = out.actor->substr(4) + '-' + uuid();
}

// --- tables ----------------------------------------------------------------------------------------------------------

std::string demo_graph::fresh_key() { return happens(55) ? node_key(last_node_++) : edge_key(last_edge_++); }

registration demo_graph::register_table(std::string key)
{
    table one;
    one.identity = {++last_id_, 1};
    one.key = std::move(key);
    one.growth = 1 + below(std::uint64_t{10} << below(11));
    one.touched = true;
    ++touched_;

    registration out;
    out.table = one.identity;
    out.table_key = one.key;
    out.location = location_of(one.key, hex(8));
    if (happens(30)) out.schema_hash = sha256();
    live_.push_back(std::move(one));
    return out;
}

pin_change demo_graph::pin_table(table& one)
{
    changed_.insert(one.identity.stable_table_id);
    one.version += 1 + below(3);
    bool const shrinks = happens(5);
    auto const change = one.growth * (50 + below(101)) / 100;
    one.entities = shrinks ? one.entities - std::min(one.entities / 4, change) : one.entities + change;

    pin_change out;
    out.table = one.identity;
    out.table_key = one.key;
    out.version.target_version = one.version;
    out.version.entity_count = one.entities;
    if (happens(60)) {
        out.version.staged_version = staged_bit | chance_->next();
        out.version.transaction_uuid = uuid();
    }
    if (happens(5)) {
        // Spelled so that only bytes that are kept come back the same.
        out.version.metadata = R"({"source":"crm","rows_added":)" + std::to_string(change) + R"(,"sampled":0.50})";
    }
    if (happens(2)) out.schema_hash = sha256();
    return out;
}

// How many tables should live by now.
std::uint64_t demo_graph::target() const noexcept
{
    auto const growing = std::max<std::uint64_t>(1, commits_ * growing_percent / 100);
    if (seq_ >= growing) return tables_;
    return (tables_ * seq_ + growing - 1) / growing;
}

std::uint64_t demo_graph::most_registrations() const noexcept
{
    if (at_boundary()) return max_at_boundary;
    std::uint64_t const untouched = max_touched - std::min(touched_, max_touched);
    return std::min(untouched, seq_ == 1 ? first_batch : max_registrations);
}

bool demo_graph::at_boundary() const noexcept { return seq_ % period == 0; }

// How many more tables may be touched before the next boundary, beside those that growth needs.
std::size_t demo_graph::room() const noexcept
{
    if (at_boundary()) return max_at_boundary;
    bool const growing = live_.size() < tables_ && seq_ < commits_ * growing_percent / 100;
    auto const limit = growing ? max_touched - kept_for_growth : max_touched;
    return limit - std::min(touched_, limit);
}

// Claims a table for the commit at hand: once a commit, and only while there is room.
bool demo_graph::touch(table& one)
{
    if (changed_.contains(one.identity.stable_table_id)) return false;
    if (!one.touched) {
        if (room() == 0) return false;
        one.touched = true;
        ++touched_;
    }
    changed_.insert(one.identity.stable_table_id);
    return true;
}

// A hot one mostly; otherwise any, old ones more often.
demo_graph::table* demo_graph::any_table()
{
    if (live_.empty()) return nullptr;
    auto const cold = std::min(below(live_.size()), below(live_.size()));
    if (room() > 0 && happens(15)) return &live_[cold];
    auto const begin = below(live_.size());
    for (std::size_t step = 0; step < live_.size(); ++step) {
        auto& one = live_[(begin + step) % live_.size()];
        if (one.touched) return &one;
    }
    return &live_[cold];
}

}  // namespace headwater::cli
