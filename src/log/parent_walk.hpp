// parent_walk: the way from a branch to its parent and on, which stored metadata may make endless. Pure.
#pragma once

#include <headwater/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headwater {

class parent_walk {
public:
    /// The most parents that anything follows: branches of branches of branches.
    static constexpr std::size_t max_parents = 1'000;

    /// `stream` is left for its parent. `corrupt`: it has been left before; `limit_exceeded`.
    result<void> leave(std::string_view stream)
    {
        std::string const name(stream);
        if (std::ranges::find(left_, name) != left_.end()) {
            return error(errc::corrupt, diagnostics("open", name,
                                                    "the parents of stream " + left_.front() + " lead back to " + name
                                                        + ": a branch cannot come from itself"));
        }
        if (left_.size() == max_parents) {
            return error(errc::limit_exceeded, "max_parents (" + std::to_string(max_parents)
                                                   + ") reached while following the parents of stream "
                                                   + left_.front());
        }
        left_.push_back(name);
        return {};
    }

private:
    std::vector<std::string> left_;
};

}  // namespace headwater
