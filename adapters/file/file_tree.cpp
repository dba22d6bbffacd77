// Create: temporary, sync, link, sync the directory, unlink. Replace: temporary, sync, lock, rename, sync the
// directory.
#include "adapters/file/file_tree.hpp"

#include <headwater/digest.hpp>

#include "adapters/local/listing.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace headwater::file {

namespace {

constexpr mode_t file_mode = 0666;  // Less the umask.
constexpr std::size_t max_listed_keys = 10'000'000;
constexpr std::size_t max_depth = 512;  // A key of 1,024 bytes has no more segments that matter.
constexpr int max_lock_turns = 1000;    // Each lost turn is somebody else's success.
// The etag is the hash of the whole file, so a part, a head and an update cost reading all of it: up to this size.
constexpr std::uint64_t max_hashed_bytes = default_max_bytes;

// The later of the two: a link made long after the content was written is young.
time_ms last_modified(struct stat const& status)
{
    auto const since_1970 = [](timespec const& at) {
        return time_ms(std::chrono::floor<std::chrono::milliseconds>(std::chrono::seconds(at.tv_sec)
                                                                     + std::chrono::nanoseconds(at.tv_nsec)));
    };
    return std::max(since_1970(status.st_mtim), since_1970(status.st_ctim));
}

std::uint64_t size_of(struct stat const& status) { return static_cast<std::uint64_t>(status.st_size); }

result<bytes> read_whole(open_file const& file, std::uint64_t max_bytes, std::string const& where)
{
    auto const size = size_of(file.status);
    if (size <= max_bytes) return read_exactly(file.open, 0, size, where);
    return error(errc::limit_exceeded, where + ": larger than " + std::to_string(max_bytes)
                                           + " bytes (max_hashed_bytes), the most that is read for an etag");
}

bool same_file(struct stat const& left, struct stat const& right)
{
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

// Version 4, lower case.
std::string uuid(random& chance)
{
    std::array<std::byte, 16> raw{};
    chance.fill(raw);
    raw[6] = (raw[6] & std::byte{0x0f}) | std::byte{0x40};
    raw[8] = (raw[8] & std::byte{0x3f}) | std::byte{0x80};
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (at == 4 || at == 6 || at == 8 || at == 10) out += '-';
        out += digits[std::to_integer<std::size_t>(raw[at] >> 4)];
        out += digits[std::to_integer<std::size_t>(raw[at] & std::byte{0x0f})];
    }
    return out;
}

// For readers, what is no file is no object.
error as_absent(error const& what)
{
    if (what != errc::configuration) return what;
    return {errc::not_found, what.why()->detail};
}

result<open_file> open_for_reading(std::filesystem::path const& root, key_path const& path)
{
    auto const in = open_directory(root, path.directories);
    if (!in) return in.error();
    auto file = open_in(*in, path.name, O_RDONLY);
    if (!file) return as_absent(file.error());
    return file;
}

// The file that has the name now, locked; nothing while another process has it. `not_found` if no file has the name.
result<std::optional<open_file>> lock_current(directory const& in, std::string const& name)
{
    for (int turn = 0; turn < max_lock_turns; ++turn) {
        // NFS gives exclusive locks to writers only; elsewhere a file that is not ours to write can be locked too.
        auto file = open_in(in, name, O_RDWR);
        if (!file && file.error() == errc::access_denied) file = open_in(in, name, O_RDONLY);
        if (!file) return file.error();
        auto const locked = try_lock(file->open, in.path_of(name));
        if (!locked) return locked.error();
        if (!*locked) return std::nullopt;
        auto const now = status_in(in, name);
        if (!now) return now.error();
        // Before we had it, another version may have taken the name: its lock is the one that counts.
        if (same_file(*now, file->status)) return std::optional(std::move(*file));
    }
    return error(errc::unavailable, in.path_of(name) + ": replaced again and again (max_lock_turns)");
}

}  // namespace

file_tree::file_tree(file_options options, random& chance)
    : root_(std::move(options.root)),
      synced_(options.durability == file_durability::synced),
      chance_(chance),
      syncs_(synced_)
{
}

etag file_tree::tag_of(bytes const& content) { return etag(sha256_hex(content.view())); }

result<object> file_tree::read(std::string_view key, get_options const& options) const
{
    auto const path = path_of(key);
    auto const file = open_for_reading(root_, path);
    if (!file) return file.error();
    auto const size = size_of(file->status);
    auto const where = (root_ / join(path)).string();
    auto first = std::uint64_t(0);
    auto length = size;
    if (options.range) {
        auto const part = local::clip(*options.range, size);
        if (!part) return part.error();
        first = part->first;
        length = part->last - part->first + 1;
    }
    if (length > options.max_bytes) {
        return error(errc::limit_exceeded, where + ": larger than max_bytes");
    }
    auto const whole = read_whole(*file, std::max(max_hashed_bytes, options.max_bytes), where);
    if (!whole) return whole.error();
    object answer;
    answer.tag = tag_of(*whole);
    if (!options.if_none_match.empty() && options.if_none_match == answer.tag.text()) return error(errc::not_modified);
    answer.content = options.range ? bytes(whole->view().substr(first, length)) : *whole;
    answer.last_modified = last_modified(file->status);
    answer.full_size = size;
    return answer;
}

result<object_meta> file_tree::describe(std::string_view key) const
{
    auto const path = path_of(key);
    auto const file = open_for_reading(root_, path);
    if (!file) return file.error();
    auto const content = read_whole(*file, max_hashed_bytes, (root_ / join(path)).string());
    if (!content) return content.error();
    object_meta meta(object_key(key), content->size(), tag_of(*content));
    meta.last_modified = last_modified(file->status);
    return meta;
}

result<staged_file> file_tree::stage(std::string_view key, bytes const& content, folders missing)
{
    auto const path = path_of(key);
    auto in = missing == folders::made ? make_directory(root_, path.directories, syncs_)
                                       : open_directory(root_, path.directories);
    if (!in) return in.error();
    return write_beside(std::make_shared<directory const>(std::move(*in)), path.name, content);
}

result<staged_file> file_tree::write_beside(std::shared_ptr<directory const> in, std::string const& name,
                                            bytes const& content)
{
    if (name.size() > max_name_bytes) {
        return error(errc::invalid_argument,
                     in->path_of(name) + ": a name between slashes has at most 214 bytes in a file store");
    }
    auto hidden = name + ".tmp." + uuid(chance_);
    auto const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    descriptor open(uninterrupted([&] { return ::openat(in->open.get(), hidden.c_str(), flags, file_mode); }));
    if (!open) return os_error(errno, in->path_of(hidden));
    staged_file file(std::move(in), name, std::move(hidden), std::move(open));
    if (auto written = write_all(file.open(), content.view(), file.path()); !written) return written.error();
    if (!synced_) return file;
    if (auto synced = sync(file.open(), file.path()); !synced) return synced.error();
    return file;
}

// From here on the write is visible: that it was not synced does not mean that it is not there.
result<void> file_tree::sync_names(directory const& in) const
{
    if (!synced_) return {};
    auto const synced = sync(in.open, in.path);
    if (!synced) return error(errc::outcome_unknown, synced.error().why()->detail);
    return {};
}

// Who lost may have lost to an earlier request of its own, visible but not synced. A loser that then reads its own
// bytes back takes them for written, so to lose is an answer about the medium too.
result<outcome> file_tree::after_sync(directory const& in, outcome ended) const
{
    if (auto synced = sync_names(in); !synced) return synced.error();
    return ended;
}

result<outcome> file_tree::create(std::string_view key, bytes const& content)
{
    auto const path = path_of(key);
    auto made = make_directory(root_, path.directories, syncs_);
    if (!made) return made.error();
    auto const in = std::make_shared<directory const>(std::move(*made));
    if (auto const taken = status_in(*in, path.name)) {
        if (!S_ISREG(taken->st_mode)) return in_the_way(*taken, in->path_of(path.name));
        return after_sync(*in, outcome::lost);
    }
    auto const ours = write_beside(in, path.name, content);
    if (!ours) return ours.error();
    auto const linked = ours->link();
    if (!linked) return linked.error();
    return after_sync(*in, *linked);
}

result<outcome> file_tree::replace(staged_file& ours)
{
    // Renaming over a name that nobody had would step on a conditional update of one who got it in between.
    for (int turn = 0; turn < max_lock_turns; ++turn) {
        auto const current = lock_current(ours.in(), ours.target());
        if (!current && current.error() != errc::not_found) return current.error();
        if (current) {
            if (!*current) return outcome::locked;
            if (auto renamed = ours.rename(); !renamed) return renamed.error();
            return after_sync(ours.in(), outcome::written);
        }
        auto const linked = ours.link();
        if (!linked) return linked.error();
        if (*linked == outcome::written) return after_sync(ours.in(), outcome::written);
    }
    return error(errc::unavailable, ours.in().path_of(ours.target()) + ": replaced again and again (max_lock_turns)");
}

result<outcome> file_tree::replace_if(staged_file& ours, etag const& expected)
{
    auto const current = lock_current(ours.in(), ours.target());
    if (!current) return current.error() == errc::not_found ? result<outcome>(outcome::lost) : current.error();
    if (!*current) return outcome::locked;
    auto const before = read_whole(**current, max_hashed_bytes, ours.in().path_of(ours.target()));
    if (!before) return before.error();
    if (tag_of(*before) != expected) return after_sync(ours.in(), outcome::lost);
    if (auto renamed = ours.rename(); !renamed) return renamed.error();
    return after_sync(ours.in(), outcome::written);
}

result<outcome> file_tree::remove(std::string_view key)
{
    auto const path = path_of(key);
    auto const in = open_directory(root_, path.directories);
    if (!in) return in.error() == errc::not_found ? result<outcome>(outcome::written) : in.error();
    auto const current = lock_current(*in, path.name);
    if (!current) {
        auto const why = as_absent(current.error());
        // That it is gone may be an earlier request's doing, not synced.
        return why == errc::not_found ? after_sync(*in, outcome::written) : why;
    }
    if (!*current) return outcome::locked;
    if (::unlinkat(in->open.get(), path.name.c_str(), 0) != 0 && errno != ENOENT) {
        return os_error(errno, in->path_of(path.name));
    }
    return after_sync(*in, outcome::written);
}

namespace {

// Collects the keys below one directory.
class key_walk {
public:
    key_walk(std::string_view prefix, std::string_view floor) : prefix_(prefix), floor_(floor) {}

    result<void> visit(directory const& at, std::string const& base, std::size_t depth)
    {
        if (depth > max_depth) return error(errc::limit_exceeded, at.path + ": too deep (max_depth)");
        auto const names = names_in(at);
        if (!names) return names.error();
        for (auto const& name : names->files) {
            if (auto const segment = segment_of(name)) add(base + *segment);
        }
        if (keys.size() > max_listed_keys) {
            return error(errc::limit_exceeded, at.path + ": too many files for one listing (max_listed_keys)");
        }
        for (auto const& name : names->directories) {
            auto const segment = segment_of(name);
            if (!segment || !may_hold(base + *segment + '/')) continue;
            auto below = open_below(at, name);
            if (!below && below.error() == errc::not_found) continue;  // Gone since we read its name.
            if (!below) return below.error();
            if (auto visited = visit(*below, base + *segment + '/', depth + 1); !visited) return visited;
        }
        return {};
    }

    std::set<std::string, std::less<>> keys;

private:
    void add(std::string key)
    {
        if (key.starts_with(prefix_) && key > floor_ && key.size() <= local::max_key_bytes) keys.insert(std::move(key));
    }

    bool may_hold(std::string_view base) const
    {
        if (!base.starts_with(prefix_) && !prefix_.starts_with(base)) return false;
        auto const bound = local::after_all_of(base);
        return !bound || *bound > floor_;
    }

    std::string_view const prefix_;
    std::string_view const floor_;
};

}  // namespace

result<std::set<std::string, std::less<>>> file_tree::keys(std::string_view prefix, std::string_view floor) const
{
    auto const base = prefix.substr(0, prefix.rfind('/') + 1);
    key_walk walk(prefix, floor);
    auto const at = open_directory(root_, path_of(base).directories);
    if (!at && at.error() == errc::not_found) return std::move(walk.keys);
    if (!at) return at.error();
    if (auto visited = walk.visit(*at, std::string(base), 0); !visited) return visited.error();
    return std::move(walk.keys);
}

result<object_meta> file_tree::row(std::string_view key) const
{
    auto const where = (root_ / join(path_of(key))).string();
    struct stat status {};
    if (::lstat(where.c_str(), &status) != 0) return os_error(errno, where);
    object_meta meta(object_key(key), size_of(status), etag());
    meta.last_modified = last_modified(status);
    return meta;
}

}  // namespace headwater::file
