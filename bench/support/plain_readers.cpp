// Three plans over one small fold.
#include "bench/support/plain_readers.hpp"

#include "bench/support/keys.hpp"
#include "bench/support/must.hpp"

#include <headwater/checkpoint.hpp>
#include <headwater/hint.hpp>
#include <headwater/record.hpp>

#include <map>
#include <string>
#include <vector>

namespace headwater::bench {

namespace {

// The heads by stable_table_id: enough to answer which version of which table is current.
class plain_heads {
public:
    explicit plain_heads(checkpoint from) : seq_(from.header.seq)
    {
        for (auto& each : from.heads) {
            auto const id = each.table.stable_table_id;
            heads_.emplace(id, std::move(each));
        }
    }
    plain_heads() = default;

    void apply(record const& next)
    {
        for (auto const& each : next.tombstones) heads_.erase(each.table.stable_table_id);
        for (auto const& each : next.renames) heads_[each.table.stable_table_id].table_key = each.to;
        for (auto const& each : next.registrations) {
            auto& fresh = heads_[each.table.stable_table_id];
            fresh.table = each.table;
            fresh.table_key = each.table_key;
            fresh.location = each.location;
        }
        for (auto const& each : next.pins) heads_[each.table.stable_table_id].version = each.version;
        seq_ = next.seq;
    }

    sequence seq() const noexcept { return seq_; }
    rebuilt told() const noexcept { return {seq_.value(), heads_.size()}; }

private:
    sequence seq_;
    std::map<std::uint64_t, head> heads_;
};

task<object> fetch(object_store& store, std::string name)
{
    object_key const key(std::move(name));
    get_options const whole;
    co_return co_await store.get(key, whole);
}

task<hint> fetch_hint(object_store& store)
{
    auto answer = co_await fetch(store, keys::hint());
    if (!answer) co_return answer.error();
    auto const found = decode_hint(answer->content.view());
    if (!found) co_return error(errc::corrupt, "the hint is unreadable");
    co_return *found;
}

result<plain_heads> heads_from(result<object> const& answer, sequence seq)
{
    if (seq == sequence()) return plain_heads();
    if (!answer) return answer.error();
    auto value = decode_checkpoint(answer->content.view(), stream_id(), seq);
    if (!value) return value.error();
    return plain_heads(std::move(*value));
}

task<plain_heads> fetch_heads(object_store& store, sequence seq)
{
    if (seq == sequence()) co_return plain_heads();
    auto const answer = co_await fetch(store, keys::checkpoint(seq.value()));
    co_return heads_from(answer, seq);
}

// False: there is no such record, so what was applied last is the newest.
result<bool> apply_next(plain_heads& heads, result<object> const& answer)
{
    if (!answer && answer.error() == errc::not_found) return false;
    if (!answer) return answer.error();
    auto value = decode_record(answer->content.view(), stream_id(), heads.seq().next());
    if (!value) return value.error();
    heads.apply(*value);
    return true;
}

task<rebuilt> follow(object_store& store, plain_heads heads)
{
    for (;;) {
        auto const answer = co_await fetch(store, keys::record(heads.seq().value() + 1));
        auto const more = apply_next(heads, answer);
        if (!more) co_return more.error();
        if (!*more) co_return heads.told();
    }
}

// The checkpoint and the records up to `last`, at once. Is `last` absent, it ends there; else it is followed.
task<rebuilt> read_together(object_store& store, sequence base, sequence last)
{
    std::vector<task<object>> work;
    if (base > sequence()) work.push_back(fetch(store, keys::checkpoint(base.value())));
    for (auto seq = base.next(); seq <= last; seq = seq.next()) work.push_back(fetch(store, keys::record(seq.value())));
    auto const answers = co_await at_once(std::move(work));
    auto next = answers.begin();
    auto heads = base > sequence() ? heads_from(*next++, base) : result<plain_heads>(plain_heads());
    if (!heads) co_return heads.error();
    for (; next != answers.end(); ++next) {
        auto const more = apply_next(*heads, *next);
        if (!more) co_return more.error();
        if (!*more) co_return heads->told();
    }
    co_return co_await follow(store, std::move(*heads));
}

}  // namespace

task<rebuilt> read_sequentially(object_store& store)
{
    auto const hinted = co_await fetch_hint(store);
    if (!hinted) co_return hinted.error();
    auto heads = co_await fetch_heads(store, hinted->checkpoint);
    if (!heads) co_return heads.error();
    co_return co_await follow(store, std::move(*heads));
}

task<rebuilt> read_in_rfc_order(object_store& store)
{
    auto const hinted = co_await fetch_hint(store);
    if (!hinted) co_return hinted.error();
    auto absent = hinted->seq.next();
    for (;; absent = absent.next()) {
        auto const probe = co_await fetch(store, keys::record(absent.value()));
        if (probe) continue;
        if (!(probe.error() == errc::not_found)) co_return probe.error();
        break;
    }
    sequence const newest(absent.value() - 1);
    std::vector<task<object>> work;
    work.push_back(fetch(store, keys::checkpoint(hinted->checkpoint.value())));
    for (auto seq = hinted->checkpoint.next(); seq <= newest; seq = seq.next()) {
        work.push_back(fetch(store, keys::record(seq.value())));
    }
    auto const answers = co_await at_once(std::move(work));
    auto heads = heads_from(answers.front(), hinted->checkpoint);
    if (!heads) co_return heads.error();
    for (std::size_t at = 1; at < answers.size(); ++at) {
        auto const applied = apply_next(*heads, answers[at]);
        if (!applied) co_return applied.error();
    }
    co_return heads->told();
}

task<rebuilt> read_speculatively(object_store& store)
{
    auto const hinted = co_await fetch_hint(store);
    if (!hinted) co_return hinted.error();
    co_return co_await read_together(store, hinted->checkpoint, hinted->seq.next());
}

}  // namespace headwater::bench
