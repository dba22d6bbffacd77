// The error category and the one-line message.
#include <headwater/error.hpp>

namespace headwater {

namespace {

struct row {
    std::string_view name;
    std::string_view message;
};

row const& describe(errc code) noexcept
{
    static constexpr row rows[] = {
        {"ok", "no error"},
        {"not_found", "not found"},
        {"not_modified", "not modified"},
        {"precondition_failed", "the condition of the update does not hold"},
        {"already_exists", "it exists already"},
        {"outcome_unknown", "the write may or may not have been applied"},
        {"unavailable", "the store is unavailable"},
        {"access_denied", "access denied"},
        {"configuration", "wrong configuration"},
        {"invalid_argument", "invalid argument"},
        {"limit_exceeded", "a limit was reached"},
        {"protocol", "the server's answer is malformed"},
        {"unsupported", "not supported"},
        {"corrupt", "stored bytes are corrupt"},
        {"conflict", "another commit took the position"},
        {"pruned", "the position has been pruned"},
        {"history_gap", "a record is missing"},
        {"branch_not_found", "no such branch"},
        {"branch_exists", "the branch exists already"},
        {"branch_retired", "the branch was deleted"},
        {"cursor_rejected", "the change cursor was rejected"},
        {"merge_conflict", "both sides changed the same tables"},
    };
    auto const at = static_cast<std::size_t>(code);
    static constexpr row unknown{"unknown", "unknown headwater error"};
    return at < std::size(rows) ? rows[at] : unknown;
}

class headwater_category final : public boost::system::error_category {
public:
    headwater_category() noexcept : error_category(0x7d1f2a1c5b3e9f01ULL) {}

    char const* name() const noexcept override { return "headwater"; }
    std::string message(int value) const override { return std::string(describe(static_cast<errc>(value)).message); }
};

void append(std::string& out, std::string_view name, std::string_view value)
{
    if (value.empty()) return;
    out += out.empty() ? "" : ", ";
    out += name;
    out += ' ';
    out += value;
}

std::string context(diagnostics const& why)
{
    std::string out;
    append(out, "in", why.operation);
    append(out, "key", why.key);
    append(out, "store", why.store);
    append(out, "status", why.status == 0 ? std::string() : std::to_string(why.status));
    append(out, "code", why.service_code);
    append(out, "request", why.request_id);
    append(out, "attempts", why.attempts < 2 ? std::string() : std::to_string(why.attempts));
    return out;
}

}  // namespace

std::string_view to_string(errc code) noexcept { return describe(code).name; }

boost::system::error_category const& category() noexcept
{
    static headwater_category const instance;
    return instance;
}

std::string error::message() const
{
    std::string out = code_.message();
    if (!why_) return out;
    if (!why_->detail.empty()) out += ": " + why_->detail;
    if (auto const where = context(*why_); !where.empty()) out += " (" + where + ")";
    return out;
}

failure::failure(error what) : system_error(what.code(), what.message()), error_(std::move(what)) {}

}  // namespace headwater
