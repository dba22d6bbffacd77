// One object decides between a slow creator and the next: the metadata of the life that the name means.
#include <headwater/branches.hpp>

#include "src/base/together.hpp"
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"
#include "src/log/branch_step.hpp"
#include "src/log/checkpoint_writer.hpp"
#include "src/log/commit_ids.hpp"
#include "src/log/retirement.hpp"

#include <headwater/probe.hpp>

#include <algorithm>

namespace headwater {

namespace {

/// How many lives are looked at in one round.
constexpr std::size_t lives_at_once = 50;

error about_branch(errc code, branch_name const& name, std::string const& what)
{
    return {code, diagnostics("branch", layout::name(name).text(), "the branch " + name.text() + ' ' + what)};
}

result<void> check_not_main(branch_name const& name)
{
    if (!name.is_main()) return {};
    return error(errc::invalid_argument, "main can be neither created nor deleted");
}

result<void> check_can_update(object_store const& store)
{
    if (store.capabilities().conditional_update) return {};
    return error(errc::unsupported,
                 store.address() + " cannot update under a condition: no branch is deleted or created again");
}

// Before the metadata nothing is visible: what may have been written is nobody's branch.
error not_visible(error const& what, branch_name const& name)
{
    if (!(what == errc::outcome_unknown)) return what;
    return with(error(errc::unavailable, what.why() ? *what.why() : diagnostics()), [&](diagnostics& why) {
        why.detail = "the branch " + name.text() + " was not created; try again in a minute: " + why.detail;
    });
}

}  // namespace

class branches::creation {
public:
    creation(branches const& of, branch_name name, snapshot from)
        : store_(*of.store_),
          time_(*of.time_),
          chance_(*of.chance_),
          creator_(of.options_.creator),
          proofs_(of.options_.proofs),
          name_(std::move(name)),
          from_(std::move(from)),
          through_(store_)
    {
    }

    task<stream_metadata> run()
    {
        open_stream parent(store_, from_.stream(), time_, ended_lives::readable);
        object_key const name_key = layout::name(name_);
        std::vector<wanted_object> beside;
        beside.emplace_back(name_key, max_metadata_bytes);
        auto opened = co_await parent.open(through_, std::move(beside));
        if (!opened) co_return opened.error();
        known_ = parent.known();
        // Nothing is written for a name that cannot be had; what holds now is judged again once it matters.
        auto const& found = through_.get(name_key);
        if (found) {
            auto const judged = co_await judge_holder(*found);
            if (!judged) co_return judged.error();
        } else if (!(found.error() == errc::not_found)) {
            co_return found.error();
        }
        auto const proven = co_await demand(proof_of::creates);
        if (!proven) co_return proven.error();
        ours_ = stream_id::of(name_, make_ulid(held_now_ms(known_, time_), chance_));

        checkpoint_writer writer;
        auto const interval = known_.format.checkpoint_interval;
        auto written = co_await writer.write(through_, from_.content(), ours_, interval, time_);
        if (!written && written.error() == errc::history_gap) {
            auto again = co_await parent.renew(from_);
            if (!again) co_return not_visible(again.error(), name_);
            from_ = std::move(*again);
            written = co_await writer.write(through_, from_.content(), ours_, interval, time_);
        }
        if (!written) co_return not_visible(written.error(), name_);
        auto const parental = co_await check_parent();
        if (!parental) co_return parental.error();
        auto const named = co_await take_name();
        if (!named) co_return not_visible(named.error(), name_);
        auto made = co_await make_visible();
        if (!made) co_return made.error();
        // What the checkpoint names may have been deleted before it was named.
        if (known_.asked.until(now()) <= min_age / 2) co_return made;
        open_stream mine(store_, ours_, time_, ended_lives::refused);
        std::string by(creator_);
        std::optional<position> whatever;
        prover* const nobody = nullptr;  // Proved or not, it must end.
        auto const ended =
            co_await retirement::end(std::move(mine), chance_, std::move(by), std::move(whatever), nobody);
        if (!ended) co_return ended.error();
        co_return about_branch(errc::unavailable, name_, "took too long to create and was ended again; try again");
    }

private:
    moment now() const
    {
        auto out = moment::now(time_);
        out.store = through_.latest_date();
        return out;
    }

    task<void> demand(proof_of what)
    {
        if (!proofs_) co_return result<void>();
        co_return co_await proofs_->demand(through_.store(), what);
    }

    // With the checkpoint written, a floor at or below the fork means that nothing it names can go for min_age.
    task<void> check_parent()
    {
        auto const parent = co_await read_life(store_, from_.stream());
        if (!parent) co_return parent.error();
        auto const key = layout::metadata(from_.stream()).text();
        if (parent->metadata.retired) {
            co_return error(errc::branch_retired,
                            diagnostics("branch", key,
                                        "the stream " + from_.stream().text() + " has ended; fork from a live branch"));
        }
        sequence const floor = parent->metadata.floor;
        if (floor <= from_.seq()) co_return result<void>();
        diagnostics why("branch", key,
                        "seq " + std::to_string(from_.seq().value()) + " is below the floor "
                            + std::to_string(floor.value()) + "; fork from a newer state");
        why.facts.emplace_back("floor", std::to_string(floor.value()));
        co_return error(errc::pruned, std::move(why));
    }

    task<void> take_name()
    {
        branch_pointer pointer;
        pointer.logical = name_.text();
        pointer.stream = ours_.text();
        auto const encoded = encode(pointer);
        if (!encoded) co_return encoded.error();
        object_key const key = layout::name(name_);
        auto const made = co_await through_.store().put_if_absent(key, *encoded);
        through_.note_date_of(made);
        if (!made) co_return made.error();
        if (made->created) co_return result<void>();

        get_options how;
        how.max_bytes = max_metadata_bytes;
        auto const found = co_await through_.store().get(key, how);
        through_.note_date_of(found);
        if (!found) co_return of_stored(found.error(), key, how.max_bytes);
        if (found->content == *encoded) co_return result<void>();
        auto const judged = co_await judge_holder(*found);
        if (!judged) co_return judged.error();
        if (*judged) {
            auto const ended = co_await end_unfinished(**judged);
            if (!ended) co_return ended.error();
        }
        auto const replaced = co_await through_.store().put_if_match(key, *encoded, found->tag);
        through_.note_date_of(replaced);
        if (!replaced && replaced.error() == errc::precondition_failed) {
            co_return about_branch(errc::branch_exists, name_, "is being created by somebody else");
        }
        if (!replaced) co_return replaced.error();
        co_return result<void>();
    }

    std::optional<std::chrono::milliseconds> age_of(object const& one) const
    {
        if (!one.last_modified) return {};
        return one.info.date.value_or(time_.now()) - *one.last_modified;
    }

    // Whether the name can be had from the life that it means, which that must be ended for first, if it is named.
    task<std::optional<stream_id>> judge_holder(object const& pointer)
    {
        auto const means = decode_branch_pointer(pointer.content.view(), name_);
        if (!means) co_return means.error();
        auto const stream = stream_id::parse(means->stream);
        auto const life = co_await look(*stream);
        if (!life) co_return life.error();
        auto const action = judge_name(*life, age_of(pointer));
        if (action == name_action::refuse) {
            bool const live = *life == named_life::live;
            co_return about_branch(errc::branch_exists, name_,
                                   live ? "exists" : "is being created; if its creator has stopped, try in a minute");
        }
        if (auto able = check_can_update(store_); !able) co_return able.error();
        auto const proven = co_await demand(proof_of::updates);
        if (!proven) co_return proven.error();
        if (action == name_action::replace) co_return std::optional<stream_id>();
        co_return std::optional(*stream);
    }

    // Its creator cannot finish any more, unless it just has.
    task<void> end_unfinished(stream_id stream)
    {
        auto const encoded = encode(stillborn(stream, creator_, held_now_ms(known_, time_)));
        if (!encoded) co_return encoded.error();
        object_key const key = layout::metadata(stream);
        auto const made = co_await through_.store().put_if_absent(key, *encoded);
        if (!made) co_return made.error();
        if (made->created) co_return result<void>();
        auto const after = co_await look(stream);
        if (!after) co_return after.error();
        if (*after == named_life::retired) co_return result<void>();
        co_return about_branch(errc::branch_exists, name_, "exists");
    }

    task<named_life> look(stream_id stream)
    {
        auto const found = co_await read_life(through_.store(), std::move(stream));
        if (!found && found.error() == errc::not_found) co_return named_life::unfinished;
        if (!found) co_return found.error();
        co_return found->metadata.retired ? named_life::retired : named_life::live;
    }

    task<stream_metadata> make_visible()
    {
        stream_metadata metadata;
        metadata.stream = ours_.text();
        metadata.logical = name_.text();
        auto& parent = metadata.parent.emplace();
        parent.stream = from_.stream().text();
        parent.seq = from_.seq();
        parent.id = from_.id();
        metadata.creator = creator_;
        metadata.created_at = held_now_ms(known_, time_);
        metadata.floor = from_.seq();
        auto const encoded = encode(metadata);
        if (!encoded) co_return encoded.error();
        object_key const key = layout::metadata(ours_);
        auto const made = co_await through_.store().put_if_absent(key, *encoded);
        through_.note_date_of(made);
        if (!made) co_return made.error();
        if (made->created) co_return metadata;
        auto const found = co_await read_life(through_.store(), ours_);
        if (!found) co_return found.error();
        if (found->metadata == metadata) co_return metadata;
        co_return about_branch(errc::unavailable, name_,
                               "took too long to create, and somebody else put an end to that; try again");
    }

    object_store& store_;
    clock& time_;
    random& chance_;
    std::string_view creator_;
    prover* proofs_;
    branch_name name_;
    snapshot from_;
    fetched through_;
    authority known_;  // Of the parent, from before the checkpoint.
    stream_id ours_;
};

namespace {

// What a torn, missing or wrong object of the newest state looks like.
bool hides_state(error const& why)
{
    return why == errc::corrupt || why == errc::history_gap || why == errc::limit_exceeded;
}

}  // namespace

branches::branches(object_store& store, clock& time, random& chance, branches_options options)
    : store_(&store), time_(&time), chance_(&chance), options_(options)
{
}

task<stream_metadata> branches::create(branch_name name, snapshot from)
{
    if (auto other = check_not_main(name); !other) co_return other.error();
    creation one(*this, std::move(name), std::move(from));
    co_return co_await one.run();
}

task<stream_metadata> branches::remove(branch_name name)
{
    std::optional<position> whatever;
    co_return co_await end(std::move(name), std::move(whatever));
}

task<stream_metadata> branches::remove_at(branch_name name, position expected)
{
    std::optional<position> wanted = std::move(expected);
    co_return co_await end(std::move(name), std::move(wanted));
}

task<stream_metadata> branches::end(branch_name name, std::optional<position> expected)
{
    if (auto other = check_not_main(name); !other) co_return other.error();
    if (auto able = check_can_update(*store_); !able) co_return able.error();
    open_stream of(*store_, name.text(), *time_);
    std::string by(options_.creator);
    auto ended = co_await retirement::end(std::move(of), *chance_, std::move(by), std::move(expected), options_.proofs);
    if (ended) co_return std::move(ended->metadata);
    if (!hides_state(ended.error())) co_return ended.error();
    co_return with(ended.error(), [](diagnostics& why) {
        why.detail += "; `headwater branch delete --force` ends the branch without reading it";
    });
}

task<stream_metadata> branches::remove_unreadable(branch_name name)
{
    branch_name same = name;
    auto readable = co_await remove(std::move(same));
    if (readable || !hides_state(readable.error())) co_return readable;
    if (options_.proofs) {
        auto const proven = co_await options_.proofs->demand(*store_, proof_of::updates);
        if (!proven) co_return proven.error();
    }
    open_stream of(*store_, name.text(), *time_);
    std::string by(options_.creator);
    auto ended = co_await retirement::end_unread(std::move(of), *chance_, std::move(by));
    if (!ended) co_return ended.error();
    co_return std::move(ended->metadata);
}

task<stream_metadata> branches::find(branch_name name)
{
    open_stream of(*store_, name.text(), *time_);
    fetched through(*store_);
    auto const opened = co_await of.refresh(through);
    if (!opened) co_return opened.error();
    co_return of.known().metadata;
}

task<std::vector<stream_metadata>> branches::list()
{
    auto const opened = co_await open_graph(*store_, *time_);
    if (!opened) co_return opened.error();
    auto const streams = co_await list_streams(*store_, nullptr);
    if (!streams) co_return streams.error();
    std::vector<stream_metadata> live;
    for (std::size_t at = 0; at < streams->size(); at += lives_at_once) {
        std::vector<task<life>> round;
        auto const last = std::min(streams->size(), at + lives_at_once);
        for (auto i = at; i != last; ++i) round.push_back(read_life(*store_, (*streams)[i]));
        auto const answers = co_await together(std::move(round));
        for (auto const& each : answers) {
            if (!each) co_return each.error();
            if (!each->metadata.retired) live.push_back(each->metadata);
        }
    }
    std::ranges::sort(live, {}, &stream_metadata::logical);
    std::vector<stream_metadata> out;
    for (auto at = live.begin(); at != live.end();) {
        auto const next = std::ranges::upper_bound(at, live.end(), at->logical, {}, &stream_metadata::logical);
        if (next - at == 1) {
            out.push_back(std::move(*at));
        } else {
            // Of two live lives of one name, the name decides.
            auto name = branch_name::parse(at->logical);
            if (!name) co_return name.error();
            auto meant = co_await find(std::move(*name));
            if (meant) out.push_back(std::move(*meant));
            if (!meant && !(meant.error() == errc::branch_not_found)) co_return meant.error();
        }
        at = next;
    }
    co_return out;
}

}  // namespace headwater
