// history_needs: who still reads what a stream holds, so that a hole in one that ended is told of: children, below
// their fork, and kept commits that merged one of its own. Pure; graph_check gathers them.
#pragma once

#include <headwater/names.hpp>
#include <headwater/record.hpp>
#include <headwater/stream_metadata.hpp>

#include <map>
#include <optional>
#include <string>

namespace headwater {

struct history_need {
    history_need() = default;

    sequence to;           ///< What is above, nobody reads.
    std::string by;        ///< Who needs it, in words.
    bool of_live = false;  ///< A live branch's past depends on it; otherwise merges alone do.
};

class history_needs {
public:
    /// `needed_by_live`: the child is live, or a live stream descends from it.
    void add_child(stream_metadata const& child, bool needed_by_live)
    {
        if (!child.parent) return;
        history_need one;
        one.to = child.parent->seq;
        one.by = (child.retired ? "the stream " : "the live stream ") + child.stream + ", which began at seq "
                 + std::to_string(one.to.value()) + " of it";
        one.of_live = needed_by_live;
        add(child.parent->stream, std::move(one));
    }
    /// `one`: a kept record.
    void add_lineage(record const& one)
    {
        if (!one.origin || !one.origin->source_stream || !one.origin->source_seq) return;
        history_need next;
        next.to = sequence(*one.origin->source_seq);
        next.by = "commit " + one.id.text() + " (seq " + std::to_string(one.seq.value()) + " of " + one.stream
                  + "), which merged its seq " + std::to_string(next.to.value());
        add(*one.origin->source_stream, std::move(next));
    }

    bool any(std::string const& stream) const { return by_stream_.contains(stream); }
    bool any_live(std::string const& stream) const
    {
        auto const at = by_stream_.find(stream);
        return at != by_stream_.end() && at->second.live.has_value();
    }
    /// Who reads the record at `seq`; a live branch before a merge.
    history_need const* of(std::string const& stream, sequence seq) const
    {
        auto const at = by_stream_.find(stream);
        if (at == by_stream_.end()) return nullptr;
        auto const& [live, other] = at->second;
        if (live && live->to >= seq) return &*live;
        if (other && other->to >= seq) return &*other;
        return nullptr;
    }

private:
    struct of_stream {
        std::optional<history_need> live;
        std::optional<history_need> other;
    };

    // Of each kind the one that reaches furthest.
    void add(std::string const& stream, history_need one)
    {
        auto& known = by_stream_[stream];
        auto& place = one.of_live ? known.live : known.other;
        if (!place || place->to < one.to) place = std::move(one);
    }

    std::map<std::string, of_stream> by_stream_;
};

}  // namespace headwater
