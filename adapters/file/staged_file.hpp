// staged_file: a complete file under a temporary name, beside the name that it is for. It goes with this object unless
// it took that name.
#pragma once

#include "adapters/file/directory.hpp"

#include <memory>
#include <string>

namespace headwater::file {

/// What became of a write.
enum class outcome {
    written,  ///< Or removed.
    lost,     ///< The name is taken, or has another version.
    locked,   ///< Another process is writing the name: the same call again, later.
};

class staged_file {
public:
    staged_file(std::shared_ptr<directory const> in, std::string target, std::string name, descriptor open)
        : in_(std::move(in)), target_(std::move(target)), name_(std::move(name)), open_(std::move(open))
    {
    }
    staged_file(staged_file&&) noexcept = default;
    staged_file& operator=(staged_file&&) = delete;
    ~staged_file();

    directory const& in() const noexcept { return *in_; }
    std::string const& target() const noexcept { return target_; }
    descriptor const& open() const noexcept { return open_; }
    std::string path() const { return in_->path_of(name_); }

    /// Takes the name, whoever has it. Once.
    result<void> rename();
    /// Takes the name if nobody has it.
    result<outcome> link() const;

private:
    std::shared_ptr<directory const> in_;  // Null: moved from.
    std::string target_;
    std::string name_;  // Empty: it has taken the target's.
    descriptor open_;
};

}  // namespace headwater::file
