// whole_file: a file that appears under its name only when it is complete: written beside it, then renamed. What is no
// file, a pipe or a device, is written as it comes.
#pragma once

#include "tools/headwater/output.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headwater::cli {

class whole_file {
public:
    /// `operation` is named by the errors.
    whole_file(std::string path, std::string operation);
    whole_file(whole_file const&) = delete;
    whole_file& operator=(whole_file const&) = delete;
    /// Removes what was not finished.
    ~whole_file();

    /// Errors of all: `configuration`.
    result<void> open();
    result<void> write(std::string_view text) { return to_->write(text); }
    result<void> finish();

private:
    error failed() const;

    std::string path_;
    std::string operation_;
    std::string unfinished_;  // Empty: written in place.
    int descriptor_ = -1;
    bool finished_ = false;
    std::unique_ptr<output> to_;
};

}  // namespace headwater::cli
