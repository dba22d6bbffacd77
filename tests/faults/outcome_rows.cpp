// The rows and what they need: deeds, and the scenes before them.
#include "tests/faults/outcome_rows.hpp"

#include <gtest/gtest.h>

namespace headwater::faults {

namespace {

using namespace std::chrono_literals;
using test::deed;
using test::dialect;

constexpr auto in_doubt = "outcome_unknown";
constexpr auto later = "unavailable";
constexpr auto setting = "configuration";
constexpr auto denied = "access_denied";

void drop_field(std::string& wire, std::string const& name)
{
    auto const at = wire.find("\r\n" + name + ':');
    if (at != wire.npos) wire.erase(at, wire.find("\r\n", at + 2) - at);
}

deed with_length(std::string const& line, deed::end then = deed::end::closes)
{
    auto out = test::rewrite([line](std::string& wire) { put_field(wire, "Content-Length", line); });
    out.then = then;
    return out;
}

deed without_length()
{
    auto out = test::rewrite([](std::string& wire) { drop_field(wire, "Content-Length"); });
    out.then = deed::end::closes;
    return out;
}

deed after_interims(int count)
{
    deed out;
    for (int i = 0; i < count; ++i) out.before += "HTTP/1.1 100 Continue\r\n\r\n";
    return out;
}

deed late_by(std::chrono::milliseconds wait)
{
    deed out;
    out.waits = wait;
    return out;
}

deed without_date()
{
    return test::rewrite([](std::string& wire) { drop_field(wire, "Date"); });
}

deed the_page_of_a_proxy()
{
    return test::say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>");
}

deed code_in_the_body_alone(int status, std::string code)
{
    auto out = test::refuse(status, std::move(code));
    out.rewrites = [](std::string& wire) { drop_field(wire, "x-ms-error-code"); };
    return out;
}

// The server's own region, told with a redirect.
deed elsewhere(int status)
{
    return test::refuse(status, status == 301 ? "PermanentRedirect" : "TemporaryRedirect",
                        {{"x-amz-bucket-region", test::server_account().region}});
}

std::unique_ptr<rig> fresh(wire_kind const& kind, deed const& what)
{
    auto made = std::make_unique<rig>(kind, what);
    made->server.next({what});
    return made;
}

// On a connection that has served before.
std::unique_ptr<rig> reused(wire_kind const& kind, deed const& what)
{
    auto made = std::make_unique<rig>(kind, what);
    EXPECT_EQ(told(made->run(made->adapter->head(object_key("other")))), "not_found");
    made->server.next({what});
    return made;
}

std::unique_ptr<rig> at_a_closed_port(wire_kind const& kind, deed const&)
{
    return std::make_unique<rig>(kind, std::string(kind.tls ? "https" : "http") + "://127.0.0.1:1");
}

std::unique_ptr<rig> at_an_unknown_host(wire_kind const& kind, deed const&)
{
    return std::make_unique<rig>(kind, "https://no-such-host.invalid");
}

// TLS to the port of a server that is plain.
std::unique_ptr<rig> at_the_wrong_kind_of_server(wire_kind const& kind, deed const&)
{
    http_options impatient;
    impatient.tls_timeout = 60ms;
    auto plain = kind;
    plain.tls = false;
    rig_settings settings{{}, impatient};
    settings.https = true;
    return std::make_unique<rig>(plain, std::move(settings));
}

std::unique_ptr<rig> two_hours_off(wire_kind const& kind, deed const& what)
{
    auto made = fresh(kind, what);
    made->server.set_clock(2h);
    return made;
}

// Corrected once, and refused once more.
std::unique_ptr<rig> two_hours_off_twice(wire_kind const& kind, deed const& what)
{
    auto made = two_hours_off(kind, test::honest());
    made->server.next({what});
    return made;
}

std::unique_ptr<rig> renewable(wire_kind const& kind, deed const& what)
{
    rig_settings settings;
    settings.renewable = true;
    auto made = std::make_unique<rig>(kind, std::move(settings));
    made->server.next({what});
    return made;
}

std::unique_ptr<rig> in_another_region(wire_kind const& kind, deed const& what)
{
    rig_settings settings;
    settings.region = "eu-west-1";
    auto made = std::make_unique<rig>(kind, std::move(settings));
    made->server.next({what});
    return made;
}

// What no service says of itself: the wire, and the statuses of proxies.
std::vector<row> common_rows()
{
    return {
        {"2xx", test::honest(), "created", "replaced", "ok"},
        {"applied, then no answer", test::commit_then_drop(), in_doubt, in_doubt, later},
        {"not applied, no answer", test::drop(), in_doubt, in_doubt, later},
        {"a reset", test::reset(), in_doubt, in_doubt, later},
        {"applied after the close", test::drop_then_commit(20ms), in_doubt, in_doubt, later},
        {"a cut in the status line", test::cut_after(10), in_doubt, in_doubt, later},
        {"a cut in the fields", test::cut_after(40), in_doubt, in_doubt, later},
        {"silence", test::stall_after(0), in_doubt, in_doubt, later},
        {"silence inside the fields", test::stall_after(40), in_doubt, in_doubt, later},
        {"an answer after the deadline", late_by(150ms), in_doubt, in_doubt, later},
        {"an answer in small pieces", test::drip(1ms), "created", "replaced", "ok"},
        {"an answer that is no HTTP", test::say("+OK POP3 ready\r\n"), in_doubt, in_doubt, "protocol"},
        {"the page of a proxy", the_page_of_a_proxy(), in_doubt, in_doubt, "protocol"},
        {"a status that is no number", test::say("HTTP/1.1 abc Fine\r\n\r\n"), in_doubt, in_doubt, "protocol"},
        {"more length than body", with_length("Content-Length: 1000"), in_doubt, in_doubt, later},
        {"a length that is no number", with_length("Content-Length: many"), in_doubt, in_doubt, "protocol"},
        {"two lengths", with_length("Content-Length: 0\r\nContent-Length: 7"), in_doubt, in_doubt, "protocol"},
        {"no length", without_length(), in_doubt, in_doubt, "protocol"},
        {"a 100 that nobody asked for", after_interims(1), "created", "replaced", "ok"},
        {"a 100 without end", after_interims(9), in_doubt, in_doubt, "protocol"},
        {"304", test::refuse(304, ""), "exists", "", "not_modified"},
        {"412", test::refuse(412, ""), "exists", "precondition_failed", "precondition_failed"},
        {"401", test::refuse(401, ""), denied, denied, denied},
        {"403", test::refuse(403, ""), denied, denied, denied},
        {"408", test::refuse(408, ""), in_doubt, in_doubt, later},
        {"429", test::refuse(429, ""), in_doubt, in_doubt, later},
        {"409 of nobody's", test::refuse(409, ""), in_doubt, in_doubt, later},
        {"499", test::refuse(499, ""), in_doubt, in_doubt, later},
        {"500", test::refuse(500, ""), in_doubt, in_doubt, later},
        {"502", test::refuse(502, ""), in_doubt, in_doubt, later},
        {"503", test::refuse(503, ""), in_doubt, in_doubt, later},
        {"504", test::refuse(504, ""), in_doubt, in_doubt, later},
        {"301 to nowhere", test::refuse(301, ""), setting, setting, setting},
        {"a reset on a reused connection", test::reset(), in_doubt, in_doubt, "ok", reused},
        {"the end of a reused connection", test::drop(), in_doubt, in_doubt, "ok", reused},
        {"nobody listens", test::honest(), later, later, later, at_a_closed_port},
        {"an unknown host", test::honest(), setting, setting, setting, at_an_unknown_host},
        {"a TLS handshake that fails", test::honest(), later, later, later, at_the_wrong_kind_of_server},
        {"a clock that is wrong", test::honest(), "created", "replaced", "ok", two_hours_off},
    };
}

std::vector<row> s3_rows()
{
    return {
        {"404 NoSuchBucket", test::refuse(404, "NoSuchBucket"), setting, setting, setting},
        {"404 NoSuchKey", test::refuse(404, "NoSuchKey"), "", "precondition_failed", "not_found"},
        {"409 ConditionalRequestConflict", test::refuse(409, "ConditionalRequestConflict"), later, later, ""},
        {"409 of a new kind", test::refuse(409, "SomethingNew"), in_doubt, in_doubt, later},
        {"409 OperationAborted", test::refuse(409, "OperationAborted"), later, later, later},
        {"412 PreconditionFailed", test::refuse(412, "PreconditionFailed"), "exists", "precondition_failed",
         "precondition_failed"},
        {"500 InternalError", test::refuse(500, "InternalError"), in_doubt, in_doubt, later},
        {"503 SlowDown", test::refuse(503, "SlowDown"), in_doubt, in_doubt, later},
        {"400 RequestTimeout", test::refuse(400, "RequestTimeout"), in_doubt, in_doubt, later},
        {"400 ExpiredToken", test::refuse(400, "ExpiredToken"), denied, denied, denied},
        {"400 ExpiredToken, others at hand", test::refuse(400, "ExpiredToken"), "created", "replaced", "ok", renewable},
        {"403 ExpiredToken, others at hand", test::refuse(403, "ExpiredToken"), "created", "replaced", "ok", renewable},
        {"a clock that is wrong, twice", test::refuse(403, "RequestTimeTooSkewed"), setting, setting, setting,
         two_hours_off_twice},
        {"a clock that is wrong, and no date to correct it by", without_date(), setting, setting, setting,
         two_hours_off},
        {"400 AuthorizationHeaderMalformed", test::honest(), "created", "replaced", "ok", in_another_region},
        {"301 to another region", elsewhere(301), "created", "replaced", "ok", in_another_region},
        {"307 to another region", elsewhere(307), "created", "replaced", "ok", in_another_region},
        {"400 BadDigest", test::refuse(400, "BadDigest"), later, later, ""},
        {"403 AccessDenied", test::refuse(403, "AccessDenied"), denied, denied, denied},
        {"403 SignatureDoesNotMatch", test::refuse(403, "SignatureDoesNotMatch"), denied, denied, denied},
        {"an error in a 200", test::refuse(200, "InternalError"), in_doubt, in_doubt, ""},
    };
}

std::vector<row> azure_rows()
{
    return {
        {"404 ContainerNotFound", test::refuse(404, "ContainerNotFound"), setting, setting, setting},
        {"404 BlobNotFound", test::refuse(404, "BlobNotFound"), "", "precondition_failed", "not_found"},
        {"401, others at hand", test::refuse(401, "InvalidAuthenticationInfo"), "created", "replaced", "ok", renewable},
        {"a clock that is wrong, twice", test::refuse(403, "AuthenticationFailed"), denied, denied, denied,
         two_hours_off_twice},
        {"a clock that is wrong, and no date to correct it by", without_date(), denied, denied, denied, two_hours_off},
        {"400 Md5Mismatch", test::refuse(400, "Md5Mismatch"), later, later, ""},
        {"404 of a proxy", test::refuse(404, ""), setting, setting, setting},
        {"409 BlobAlreadyExists", test::refuse(409, "BlobAlreadyExists"), "exists", "", ""},
        {"409 BlobAlreadyExists in the body alone", code_in_the_body_alone(409, "BlobAlreadyExists"), "exists", "", ""},
        {"404 BlobNotFound in the body alone", code_in_the_body_alone(404, "BlobNotFound"), "", "precondition_failed",
         "not_found"},
        {"412 ConditionNotMet", test::refuse(412, "ConditionNotMet"), "exists", "precondition_failed",
         "precondition_failed"},
        {"500 OperationTimedOut", test::refuse(500, "OperationTimedOut"), in_doubt, in_doubt, later},
        {"503 ServerBusy", test::refuse(503, "ServerBusy"), in_doubt, in_doubt, later},
        {"403 AuthenticationFailed", test::refuse(403, "AuthenticationFailed"), denied, denied, denied},
        {"403 AuthorizationPermissionMismatch", test::refuse(403, "AuthorizationPermissionMismatch"), denied, denied,
         denied},
        {"200 to a write", test::refuse(200, ""), in_doubt, in_doubt, ""},
    };
}

}  // namespace

void put_field(std::string& wire, std::string_view name, std::string const& line)
{
    auto const at = wire.find(std::string("\r\n") + std::string(name) + ':');
    if (at == wire.npos) return;
    wire.replace(at + 2, wire.find("\r\n", at + 2) - at - 2, line);
}

std::vector<row> rows_of(dialect speaks)
{
    auto out = common_rows();
    auto more = speaks == dialect::s3 ? s3_rows() : azure_rows();
    out.insert(out.end(), more.begin(), more.end());
    for (auto& each : out) {
        if (!each.before) each.before = fresh;
    }
    return out;
}

}  // namespace headwater::faults
