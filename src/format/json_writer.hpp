// json_writer: compact JSON, byte for byte as FORMAT section 5 has it: strings raw but for `\"`, `\\`, `\b \t \n \f \r`
// and lower-case `\u00xx` below U+0020; integers exact. Digests are taken over these bytes, so nothing here may change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

/// Appends to `out`, which must outlive it. Commas come by themselves.
class json_writer {
public:
    explicit json_writer(std::string& out) noexcept : out_(out) {}

    void begin_object() { begin('{'); }
    void end_object() { out_ += '}'; }
    void begin_array() { begin('['); }
    void end_array() { out_ += ']'; }
    /// The name of the member whose value comes next. One of our own: it needs no escapes.
    void name(std::string_view plain);

    void value(std::uint64_t number);
    void value(std::string_view text);
    void null();
    /// A value, or a member with its name, as it was found.
    void raw(std::string_view json);

private:
    void begin(char bracket);
    void separate();

    std::string& out_;
};

}  // namespace headwater
