#!/usr/bin/env python3
"""probe and conform: what a store proves, what it breaks, and that a store without conditional creates gets no graph."""
import json
import os
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import harness
from harness import good, next_version, run, small_graph

store = None
few_rounds = ("--race-rounds", 3)

# Where each store goes its own way, beside Amazon's S3.
differences = {
    "file": {"answers_are_dated", "key_below_a_key_is_allowed", "update_takes_the_bare_etag"},
    "s3": {"update_of_an_absent_key_is_404", "update_takes_the_etag_as_it_was_given"},
    "azure": {"etag_is_that_of_the_content", "keys_with_any_printable_character", "refused_create_is_412",
              "update_of_an_absent_key_is_404"},
}
# What s3rver breaks at least.
broken = {"create_twice_keeps_the_first", "create_over_a_put_loses", "create_again_after_the_same_bytes_loses",
          "race_of_8_creates_has_one_winner", "race_of_32_creates_has_one_winner"}


def is_trusted():
    return store.name != "s3rver"


def folder_of(place):
    return place.removeprefix("file://")


def folders_below(folder):
    return {at for at, _, _ in os.walk(folder)}


def files_below(folder):
    return [os.path.join(at, each) for at, _, names in os.walk(folder) for each in names]


class Trusted(unittest.TestCase):
    """A store that keeps its promises."""

    def test_probe_proves_everything_in_25_requests(self):
        answer = good("probe", store.fresh(), "--json").json()
        self.assertEqual(list(answer), ["store", "writable", "create_once", "one_winner", "conditional_update",
                                        "list_allowed", "ordered_listing", "if_match", "clock_offset_ms", "findings",
                                        "cost"])
        for each in ("writable", "create_once", "one_winner", "conditional_update", "list_allowed"):
            self.assertIs(answer[each], True, each)
        self.assertEqual(answer["ordered_listing"], store.name != "file")
        self.assertEqual(answer["findings"], [])
        self.assertEqual(answer["cost"]["requests"], 25)
        self.assertEqual(answer["if_match"], {"file": "as_given", "s3": "bare", "azure": "either"}[store.name])
        if store.name != "file":
            self.assertLess(abs(answer["clock_offset_ms"]), 2000)

    def test_a_writers_first_command_asks_for_the_proof_and_the_next_ones_do_not(self):
        graph = small_graph()
        with tempfile.TemporaryDirectory() as elsewhere:
            def spent(version, **how):
                text = next_version(1, "node:A", version)
                made = good("commit", "create", graph, "--file", "-", "--json", text=text, **how).json()
                return made["cost"]["requests"]
            here = spent(2)
            # The graph is looked for before anything is tried.
            self.assertIn(spent(3, settings={"XDG_CACHE_HOME": elsewhere}) - here, range(14, 20))
            self.assertEqual(spent(4, settings={"XDG_CACHE_HOME": elsewhere}), here)

    def test_a_name_that_is_used_again_needs_the_proof_of_updates_too(self):
        graph = small_graph()
        with tempfile.TemporaryDirectory() as elsewhere:
            def spent(**how):
                made = good("branch", "create", graph, "review", "--json", **how).json()
                good("branch", "delete", graph, "review")
                return made["cost"]["requests"]
            # Creates alone are proved, by a commit.
            good("commit", "create", graph, "--file", "-", text=next_version(1, "node:A", 2),
                 settings={"XDG_CACHE_HOME": elsewhere})
            spent(settings={"XDG_CACHE_HOME": elsewhere})
            here = spent()
            self.assertIn(spent(settings={"XDG_CACHE_HOME": elsewhere}) - here, range(17, 23))
            self.assertEqual(spent(settings={"XDG_CACHE_HOME": elsewhere}), here)

    def test_without_a_cache_each_command_asks(self):
        graph = small_graph()
        nowhere = {"XDG_CACHE_HOME": "", "HOME": ""}
        def spent(version, settings):
            made = good("commit", "create", graph, "--file", "-", "--json", text=next_version(1, "node:A", version),
                        settings=settings).json()
            return made["cost"]["requests"]
        here = spent(2, {})
        for version in (3, 4):
            self.assertIn(spent(version, nowhere) - here, range(14, 20))

    def test_nothing_is_tried_where_there_is_no_graph(self):
        place = store.fresh()
        for words in (("commit", "create", place, "--file", "-"), ("branch", "create", place, "review"),
                      ("branch", "delete", place, "review"), ("cleanup", place, "--keep", 1, "--confirm"),
                      ("repair", place, "--confirm"), ("snapshot", place), ("verify", place)):
            answer = run(*words, text=next_version(1, "node:A", 1))
            self.assertEqual(answer.code, 3, words)
            if store.name == "file":
                self.assertFalse(os.path.exists(folder_of(place)), words)

    def test_probe_is_read_by_people(self):
        out = good("probe", store.fresh(), "--cost").out
        self.assertIn("graphs may be kept there", out)
        self.assertRegex(out, r"\ncost: 25 requests in 12 rounds")

    def test_conform_passes_and_names_the_differences(self):
        answer = good("conform", store.fresh(), "--json", *few_rounds).json()
        self.assertIs(answer["conforms"], True)
        self.assertEqual((answer["failed"], answer["left_behind"]), (0, 0))
        names = [each["check"] for each in answer["checks"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 45)
        counts = [answer[each] for each in ("passed", "failed", "differs", "not_applicable")]
        self.assertEqual(sum(counts), len(names))
        differing = {each["check"] for each in answer["checks"] if each["outcome"] == "differs"}
        self.assertEqual(differing, differences[store.name])
        for each in answer["checks"]:
            self.assertEqual(each["outcome"] == "passed", each["message"] is None, each)
            self.assertEqual(store.name == "file", each["status"] is None, each)
            self.assertEqual(store.name == "file", each["request_id"] is None, each)

    def test_trials_leave_neither_file_nor_folder_behind(self):
        place = store.fresh()
        graph = small_graph()
        before = folders_below(folder_of(graph)), files_below(folder_of(graph))
        for verb, *words in (("probe",), ("conform", *few_rounds), ("bench", "--rounds", 2)):
            good(verb, place, "--quiet", *words)
            self.assertFalse(os.path.exists(folder_of(place)), verb)
            good(verb, graph, "--quiet", *words)
            self.assertEqual((folders_below(folder_of(graph)), files_below(folder_of(graph))), before, verb)

    def test_conform_is_read_by_people_and_by_what_collects_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "conform.xml")
            out = good("conform", store.fresh(), "--junit", path, *few_rounds).out
            suite = xml.parse(path).getroot()
        self.assertRegex(out, r"(?m)^passed +create_twice_keeps_the_first +(-|412|409|200) +\d+ ms")
        self.assertRegex(out, r"\n\d+ passed, 0 failed, \d+ differ, \d+ not applicable\n\Z")
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual((suite.get("failures"), suite.findall("testcase/failure")), ("0", []))

    def test_a_place_that_cannot_be_reached_is_an_error_and_no_verdict(self):
        for verb in ("probe", "conform"):
            answer = run(verb, store.missing_place, "--json")
            self.assertEqual((answer.code, answer.out), (1, ""), verb)
            self.assertEqual(answer.error()["code"], "configuration", verb)


class Untrusted(unittest.TestCase):
    """A store that ignores If-None-Match."""

    def test_init_refuses_at_once_and_says_what_is_broken(self):
        for verb in ("init", "demo"):
            graph = store.fresh()
            begin = time.monotonic()
            answer = run(verb, graph, "--json")
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual((answer.code, answer.out), (1, ""))
            error = answer.error()
            self.assertEqual(error["code"], "unsupported")
            self.assertIn("If-None-Match is ignored: a second create of the same key succeeded", error["message"])
            self.assertEqual(error["status"], 200)
            self.assertEqual(run("snapshot", graph).code, 3)

    def test_probe_says_no(self):
        answer = run("probe", store.fresh(), "--json")
        self.assertEqual(answer.code, 1)
        proof = json.loads(answer.out)
        for each in ("writable", "create_once", "one_winner", "conditional_update"):
            self.assertIs(proof[each], False, each)
        self.assertRegex(proof["findings"][0]["finding"], "^If-None-Match is ignored")
        self.assertEqual(proof["findings"][0]["status"], 200)
        self.assertEqual(answer.error()["code"], "unsupported")

    def test_conform_names_what_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "conform.xml")
            answer = run("conform", store.fresh(), "--json", "--junit", path, *few_rounds)
            cases = xml.parse(path).getroot().findall("testcase[failure]")
        self.assertEqual(answer.code, 1)
        report = json.loads(answer.out)
        self.assertIs(report["conforms"], False)
        failed = {each["check"] for each in report["checks"] if each["outcome"] == "failed"}
        self.assertLessEqual(broken, failed)
        self.assertEqual(len(failed), report["failed"])
        self.assertEqual(report["left_behind"], 0)
        self.assertEqual({each.get("name") for each in cases}, failed)

    def test_people_read_what_is_broken_and_by_which_answer(self):
        answer = run("conform", store.fresh(), *few_rounds)
        self.assertEqual(answer.code, 1)
        self.assertRegex(answer.out, r"\n  create_twice_keeps_the_first +If-None-Match is ignored: .*\(status 200")


class Mistakes(unittest.TestCase):
    def test_wrong_words_are_usage_errors(self):
        for words in (("probe",), ("conform",), ("conform", store.fresh(), "--race-rounds", 0),
                      ("conform", store.fresh(), "--branch", "main"), ("probe", "ftp://host/bucket")):
            self.assertEqual(run(*words).code, 2, words)


def use(chosen):
    global store
    store = chosen
    # What is not about this store is no test of it.
    del globals()["Untrusted" if is_trusted() else "Trusted"]
    if is_trusted():
        delattr(Trusted, "test_a_place_that_cannot_be_reached_is_an_error_and_no_verdict" if store.name == "file"
                else "test_trials_leave_neither_file_nor_folder_behind")


if __name__ == "__main__":
    sys.exit(harness.main("conform", use))
