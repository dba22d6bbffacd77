// json_reader: a strict pull reader over the bytes of one object; no DOM, strings without escapes are not copied.
// Stands between stored bytes, which nobody trusts, and the codecs. What it refuses is FORMAT section 3, "Reading":
// duplicate members anywhere, numbers that are no u64 where one belongs, broken UTF-8 and escapes, deep nesting, …
// The first failure sticks: every later call returns false, and failure() says where it was, by JSON path and offset.
#pragma once

#include <headwater/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

/// Objects and arrays inside each other, the outermost counted.
inline constexpr std::size_t max_json_depth = 64;

class json_reader {
public:
    /// What to do with a member that no one knows: a stored object may have it, a caller's may not (a typo).
    enum class unknown_members { permitted, refused };

    /// `text` must outlive the reader and every view that it gives.
    explicit json_reader(std::string_view text, unknown_members rule = unknown_members::permitted) noexcept
        : text_(text), rule_(rule)
    {
    }
    json_reader(json_reader const&) = delete;
    json_reader& operator=(json_reader const&) = delete;

    // Each of these reads one value and returns whether it did.
    bool read(std::uint64_t& out);
    bool read(std::string& out);
    /// Any value, checked all through; `raw` is where it stands.
    bool read_raw(std::string_view& raw);
    /// The same, but it must be an object.
    bool read_raw_object(std::string_view& raw);
    /// Takes `null` if that is next.
    bool take_null();

    // `for (in.enter_object(); in.next_member();)`, where the caller reads one value each time; likewise for arrays.
    // The loop ends at the closing bracket or at a failure.
    bool enter_object();
    bool next_member();
    bool enter_array();
    bool next_element();

    /// Of the member that next_member() found: unescaped, as long as the reader lives.
    std::string_view name() const noexcept { return name_; }
    /// The same as it stands in the text, with quotes and escapes.
    std::string_view raw_name() const noexcept { return frames_[depth_ - 1].raw_name; }
    /// Has the end of this object check that no other member has this name. Callers do so for each member that they do
    /// not compare themselves.
    void note_name();

    /// Only white space may be left.
    bool at_end();
    std::size_t bytes_left() const noexcept { return text_.size() - at_; }
    std::size_t offset() const noexcept { return at_; }
    unknown_members rule() const noexcept { return rule_; }

    bool ok() const noexcept { return !failed_; }
    /// Makes the last value a failure, unless there was one before. Always false.
    bool fail(errc code, std::string why) { return fail_at(value_at_, code, std::move(why)); }
    bool fail(std::string why) { return fail(errc::corrupt, std::move(why)); }
    /// The same for a member of the object that was just read.
    bool fail_member(std::string_view name, std::string why);
    /// The failure: `{path}: {why}, at byte {offset}`. Precondition: !ok().
    error failure(std::string key) const;

private:
    struct noted_name {
        std::string_view text;
        std::string_view raw;
    };
    struct frame {
        std::string_view raw_name;    ///< Of the current member; empty before the first, and in arrays.
        std::size_t index = 0;        ///< Of the current element.
        std::size_t names_begin = 0;  ///< In names_.
        bool is_array = false;
        bool fresh = true;  ///< Before the first member or element.
    };

    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) noexcept;
    void skip_space() noexcept;
    void start_value() noexcept;
    bool enter(bool is_array);
    bool next(char close);
    void leave();
    bool scan_string(std::string_view& raw, bool& escaped);
    bool scan_escape();
    bool scan_hex_unit(unsigned& unit);
    bool scan_number();
    bool scan_digits();
    bool scan_literal(std::string_view literal);
    bool skip_value();
    bool skip_object();
    bool skip_array();
    void check_names(std::size_t begin);
    bool fail_at(std::size_t offset, errc code, std::string why);
    bool fail_type(char const* wanted);
    std::string found() const;
    std::string path() const;

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t value_at_ = 0;  ///< Where the last value began.
    unknown_members rule_;
    std::size_t depth_ = 0;
    std::array<frame, max_json_depth> frames_;
    std::string_view name_;
    std::vector<noted_name> names_;  ///< Of all open objects.
    std::forward_list<std::string> unescaped_names_;

    bool failed_ = false;
    errc code_ = errc::corrupt;
    std::size_t failed_at_ = 0;
    std::string why_;
    std::string failed_path_;
};

}  // namespace headwater
