// One conditional create; a read and a second one only where another was first.
#include "src/log/schema_archive.hpp"

#include "src/base/hex.hpp"
#include "src/base/sha256.hpp"
#include "src/format/codec.hpp"
#include "src/format/object_layout.hpp"

namespace headwater {

result<std::string> check_schema_content(std::optional<schema_identity> const& schema, bytes const& content)
{
    if (!schema) return error(errc::invalid_argument, "schema content without a schema that names it");
    if (content.size() > max_schema_bytes) {
        return error(errc::limit_exceeded,
                     "max_schema_bytes: a schema has at most " + std::to_string(max_schema_bytes) + " bytes");
    }
    constexpr std::string_view scheme = "sha256:";
    std::string_view named = schema->content_hash;
    if (named.starts_with(scheme)) named.remove_prefix(scheme.size());
    auto digest = to_hex(sha256(content.view()));
    if (named == digest) return digest;
    return error(errc::invalid_argument,
                 "schema.content_hash is " + schema->content_hash + ", the content's SHA-256 is " + digest);
}

task<void> schema_archive::keep(fetched& through, clock const& time, std::string digest, bytes content, bool named)
{
    content_.reset();
    bool const known = kept_ == digest && is_safe(time);
    if (!known) {
        object_key const key = layout::schema(digest);
        auto const asked = moment::now(time);
        auto const made = co_await through.store().put_if_absent(key, content);
        if (!made) co_return made.error();
        if (!made->created) {
            get_options how;
            how.max_bytes = max_schema_bytes;
            auto const found = co_await through.store().get(key, how);
            if (!found) co_return of_stored(found.error(), key, how.max_bytes);
            if (found->content != content) {
                co_return error(errc::corrupt,
                                diagnostics("publish", key.text(), "the archived schema is not what its name says"));
            }
        }
        kept_ = std::move(digest);
        kept_at_ = asked;
        was_there_ = !made->created && !named;
    }
    content_ = std::move(content);
    co_return result<void>();
}

task<void> schema_archive::settle(fetched& through, clock const& time)
{
    if (!content_) co_return result<void>();
    bool const safe = is_safe(time);
    if (!safe) {
        bytes const content = *content_;
        object_key const key = layout::schema(kept_);
        auto const made = co_await through.store().put_if_absent(key, content);
        if (!made) co_return made.error();
    }
    content_.reset();
    was_there_ = false;
    kept_at_ = moment::now(time);
    co_return result<void>();
}

}  // namespace headwater
