// Fuzz targets: one function for each decoder. libFuzzer runs one of them (fuzz_main.cpp), the ordinary tests run all
// of them on the corpus (replay_test.cpp).
#pragma once

#include <span>
#include <string_view>

namespace headwater::fuzz {

struct target {
    std::string_view name;  ///< Also the folder in corpus/.
    /// Throws if the decoder breaks a promise: a value that does not survive being written, an error without words.
    void (*run)(std::string_view input);
};

std::span<target const> targets();

}  // namespace headwater::fuzz
