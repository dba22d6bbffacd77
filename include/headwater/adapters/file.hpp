// The file adapter: one object, one file below a root directory (STORE section 3, "File adapter").
#pragma once

#include <headwater/clock.hpp>
#include <headwater/object_store.hpp>
#include <headwater/random.hpp>

#include <chrono>
#include <filesystem>

namespace headwater {

/// What a completed write has survived.
enum class file_durability {
    synced,  ///< File and directory are synced (fsync) before the call completes.
    none,    ///< The kernel has it: survives the process, not the machine.
};

/// Where and how files are kept.
struct file_options {
    std::filesystem::path root{};  ///< Created with the first write.
    file_durability durability = file_durability::synced;
    /// How long a write or removal waits for another process that is writing the same name; then it is `unavailable`.
    std::chrono::milliseconds lock_timeout{30'000};
};

/// A store in `options.root`. `chance` names temporary files; `time` and it must outlive the store. Blocking calls on
/// the caller's thread; every call yields to the executor once before it acts, and while it waits for another process,
/// which cancellation ends. Processes may share a root. An etag is the hash of the content: `head`, `put_if_match` and
/// a range read the whole file, and refuse more than `default_max_bytes` as `limit_exceeded`; a range only if its
/// `max_bytes` does not allow more either.
HEADWATER_EXPORT std::unique_ptr<object_store> make_file_store(file_options options, clock& time, random& chance);

}  // namespace headwater
