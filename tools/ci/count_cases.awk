# Counts test cases: prints "passed failed skipped" for what CTest ran, from its JUnit report.
# A program's cases come from GoogleTest's own report, reports/NAME.xml, or from the last lines of Python's unittest;
# any other is one case. A program that fails beyond its cases (it crashed, it leaked) is one failure more.

function number_after(text, word) { return match(text, word "[^0-9]?[0-9]+") ? digits(substr(text, RSTART, RLENGTH)) : 0 }
function digits(text) { gsub(/[^0-9]/, "", text); return text + 0 }

function begin(line) {
    match(line, /name="[^"]*"/)
    name = substr(line, RSTART + 6, RLENGTH - 7)
    good = line ~ /status="run"/
    absent = line ~ /status="(notrun|disabled)"/
    cases = 1
    failures = skips = 0
    open = 1
}

function read_report(file,    line, found) {
    while ((getline line <file) > 0) {
        if (line ~ /<testsuites /) { cases = number_after(line, "tests="); failures = number_after(line, "failures="); found = 1 }
        if (line ~ /<skipped/) ++skips
    }
    close(file)
    return found
}

function end() {
    if (!open) return
    read_report(reports "/" name ".xml")
    if (absent) skips = cases
    else if (!good && failures == 0) failures = 1
    passed += cases > failures + skips ? cases - failures - skips : 0
    failed += failures
    skipped += skips
    open = 0
}

/<testcase / { end(); begin($0) }
/^Ran [0-9]+ tests? in / { cases = number_after($0, "Ran") }
/^(OK|FAILED) \(/ { failures = number_after($0, "failures") + number_after($0, "errors"); skips = number_after($0, "skipped") }
END { end(); print passed + 0, failed + 0, skipped + 0 }
