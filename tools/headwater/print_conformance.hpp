// print_conformance: what probe and conform answer. Pure, as print.
#pragma once

#include <headwater/conformance.hpp>
#include <headwater/cost.hpp>
#include <headwater/probe.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headwater::cli {

/// What `conform` has found out.
struct conformance_report {
    explicit conformance_report(std::string address) : store(std::move(address)) {}

    std::size_t count(check_outcome outcome) const noexcept;

    std::string store;
    std::vector<check_result> results;
    bool stopped = false;  ///< A signal came before every check was run.
    cost spent;
};

std::string probe_text(std::string_view store, store_proof const& proof);
/// `{"store":"…","writable":true,"create_once":true,"one_winner":true,"conditional_update":true,"list_allowed":true,
/// "ordered_listing":true,"if_match":"unknown|as_given|bare|either","clock_offset_ms":0|null,
/// "findings":[{"finding","status"|null,"request_id"|null}],"cost":{…}}`
std::string probe_json(std::string_view store, store_proof const& proof);

/// One check that has ended: outcome, name, status, time, request id.
std::string check_line(check_result const& one);
/// What stands below those lines: what failed, where the store differs, and the counts.
std::string conformance_text(conformance_report const& report);
/// `{"store":"…","conforms":true,"passed":n,"failed":n,"differs":n,"not_applicable":n,"left_behind":n,
/// "checks":[{"check","theme","required","outcome","message"|null,"status"|null,"request_id"|null,"ms"}],"cost":{…}}`
std::string conformance_json(conformance_report const& report);
std::string conformance_junit(conformance_report const& report);

}  // namespace headwater::cli
