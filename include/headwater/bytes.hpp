// bytes: the content of one object, shared and immutable, so that it travels through layers without a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace headwater {

/// Immutable bytes with shared ownership. Copying is one reference count; safe to read from any thread.
class bytes {
public:
    bytes() = default;
    explicit bytes(std::string content) : content_(std::make_shared<std::string const>(std::move(content))) {}
    explicit bytes(std::string_view content) : bytes(std::string(content)) {}
    explicit bytes(char const* content) : bytes(std::string(content)) {}

    std::string_view view() const noexcept { return content_ ? std::string_view(*content_) : std::string_view(); }
    std::span<std::byte const> span() const noexcept { return std::as_bytes(std::span(view())); }
    std::size_t size() const noexcept { return content_ ? content_->size() : 0; }
    bool empty() const noexcept { return size() == 0; }

    friend bool operator==(bytes const& left, bytes const& right) noexcept { return left.view() == right.view(); }

private:
    std::shared_ptr<std::string const> content_;
};

}  // namespace headwater
