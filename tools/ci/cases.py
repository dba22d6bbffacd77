#!/usr/bin/env python3
"""Counts test cases: from CTest's JUnit report, from GoogleTest's own in a folder beside it, from unittest's last lines.

    cases.py count  REPORTS JUNIT...    prints "passed failed skipped"
    cases.py matrix REPORTS JUNIT...    prints what passed on each store and transport, suite by suite

REPORTS/NAME.xml is GoogleTest's report of the test NAME. A test without one is a Python program or one case itself. A
program that fails beyond its cases (it crashed, it leaked) is one failure more.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

Case = collections.namedtuple("Case", "test name outcome place")
# Whatever stands in a case's parameter before the rest of it: s3_tls_curl, azure_sas, memory …
place_name = re.compile(r"(memory|file|s3rver|s3|azure)(_(unordered|unsynced|path|virtual_host|tls|curl|shared_key|sas))*")


def google_cases(test, report):
    for case in xml.parse(report).getroot().iter("testcase"):
        bad = case.find("failure") is not None
        outcome = "failed" if bad else "skipped" if case.get("result") == "skipped" else "passed"
        parameter = case.get("name").partition("/")[2] if case.get("value_param") else ""
        place = place_name.match(parameter)
        yield Case(test, case.get("name"), outcome, place and place.group().strip("_"))


def python_cases(test, output):
    """None if this is no output of unittest."""
    ran = re.search(r"^Ran (\d+) tests? in ", output, re.M)
    if not ran:
        return None
    bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", output))
    skipped = sum(int(n) for n in re.findall(r"skipped=(\d+)", output))
    place = test.rpartition("_")[2]
    outcomes = {"failed": bad, "skipped": skipped, "passed": int(ran.group(1)) - bad - skipped}
    return [Case(test, test, outcome, place) for outcome, count in outcomes.items() for _ in range(count)]


def cases(reports, junits):
    for test in (test for junit in junits for test in xml.parse(junit).getroot().iter("testcase")):
        name, report = test.get("name"), reports / (test.get("name") + ".xml")
        status = {"run": "passed", "fail": "failed"}.get(test.get("status"), "skipped")
        if report.exists():
            found = list(google_cases(name, report))
        else:
            found = python_cases(name, test.findtext("system-out") or "") or [Case(name, name, status, None)]
        yield from found
        if status == "failed" and all(case.outcome != "failed" for case in found):
            yield Case(name, name, "failed", None)


def count(found):
    tally = collections.Counter(case.outcome for case in found)
    print(tally["passed"], tally["failed"], tally["skipped"])


def suite_of(test):
    """conformance_s3 is a part of conformance; cli_file, verbs_azure … are the command line's."""
    suite = re.sub("_(file|s3|azure|s3rver)$", "", test)
    return suite if suite in ("conformance", "faults", "cost", "threads") else "command line" if suite != test else None


def matrix(found):
    tally = collections.Counter((case.place, suite_of(case.test)) for case in found if case.outcome == "passed")
    suites = sorted({suite for place, suite in tally if place and suite})
    print(" " * 18 + "".join(f"{suite:>14}" for suite in suites))
    for place in sorted({place for place, suite in tally if place and suite}):
        print(f"  {place:16}" + "".join(f"{tally[place, suite] or '-':>14}" for suite in suites))


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("count", "matrix"):
        sys.exit(__doc__)
    {"count": count, "matrix": matrix}[sys.argv[1]](list(cases(pathlib.Path(sys.argv[2]), sys.argv[3:])))
