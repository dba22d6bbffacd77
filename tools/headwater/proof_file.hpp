// proof_file: which stores this user's commands have seen to honour conditions, in one file of the user's cache, so
// that only the first command that writes to a store asks for its proof.
#pragma once

#include <headwater/adapters/credentials.hpp>
#include <headwater/probe.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater::cli {

/// A longer file is begun anew: its proofs are asked for again.
inline constexpr std::size_t max_proof_file_bytes = 1 << 20;

/// `$XDG_CACHE_HOME/headwater/proofs`, else `$HOME/.cache/headwater/proofs`; empty where the settings name neither.
std::string proof_file_path(environment const& settings);

/// A line for each proof: `creates` or `updates`, and the address. What cannot be read or written is not remembered.
class proof_file final : public proof_memory {
public:
    explicit proof_file(std::string path);

    bool has(std::string_view address, proof_of what) const override;
    void add(std::string_view address, proof_of what) override;

private:
    std::string path_;
    std::string lines_;  ///< With a line break before and after each.
};

}  // namespace headwater::cli
