#!/usr/bin/env python3
"""The command line, run as a user types it: cli_test.py PROGRAM file|s3|azure [unittest options].

Exit code 77: the store's server is not configured, nothing was tested.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
import objects
from harness import (environment, first_version, good, next_version, patience, pin, registration, run, small_graph,
                     start, state_of)

store = None


class Demo(unittest.TestCase):
    """A thousand commits, and what it costs to read them."""

    @classmethod
    def setUpClass(cls):
        cls.graph = store.fresh()
        cls.made = good("demo", cls.graph, "--commits", 1000, "--json").json()

    def test_makes_as_many_commits_as_asked(self):
        self.assertEqual(self.made["seq"], 1000)
        self.assertEqual(self.made["commits"], 1000)
        self.assertLessEqual(self.made["requests_per_commit"], 2.1)

    def test_reads_at_a_fixed_cost_and_history_at_two_requests(self):
        now = good("snapshot", self.graph, "--json", "--cost").json()
        self.assertEqual((now["graph"], now["branch"], now["stream"]), (self.graph, "main", "main"))
        self.assertEqual(now["seq"], 1000)
        self.assertEqual(now["commit_id"], self.made["commit_id"])
        self.assertNotIn("degraded", now)
        keys = [each["table_key"] for each in now["tables"]]
        self.assertTrue(150 < len(keys) <= 217, len(keys))
        self.assertEqual(len(set(keys)), len(keys))
        cost = now["cost"]
        self.assertEqual((cost["requests"], cost["open_requests"], cost["rounds"]), (3, 2, 2))

        past = good("snapshot", self.graph, "--at", 437, "--json").json()
        self.assertEqual(past["seq"], 437)
        self.assertLessEqual(past["cost"]["requests"], 2)
        by_id = good("snapshot", self.graph, "--at", past["commit_id"], "--json").json()
        self.assertEqual(state_of(by_id), state_of(past))

        # One commit later the newest record is one request more. The other tests here name the seq they mean.
        published = good("commit", "create", self.graph, "--file", "-", "--json", text='{"pins":[]}').json()
        self.assertEqual(published["seq"], 1001)
        after = good("snapshot", self.graph, "--json").json()
        self.assertEqual((after["cost"]["requests"], after["cost"]["rounds"]), (4, 2))
        self.assertEqual(after["tables"], now["tables"])

    def test_large_numbers_are_exact(self):
        tables = good("snapshot", self.graph, "--at", 1000, "--json").json()["tables"]
        staged = [each["pin"]["staged_version"] for each in tables if each["pin"] and each["pin"]["staged_version"]]
        self.assertTrue(staged)
        self.assertTrue(all(2**63 <= each < 2**64 for each in staged))

    def test_explain_shows_each_request_in_its_round(self):
        out = good("snapshot", self.graph, "--explain").out.splitlines()
        begin = next(at for at, line in enumerate(out) if line.startswith("round"))
        requests = out[begin + 1:-1]
        self.assertEqual({line.split()[0] for line in requests}, {"1", "2"})
        self.assertTrue(any("latest.json: " in line for line in requests))
        self.assertTrue(any(line.endswith(": absent") for line in requests))
        self.assertTrue(out[-1].startswith("done"))
        beside = good("snapshot", self.graph, "--explain", "--json")
        self.assertIn("latest.json", beside.err)
        beside.json()

    def test_people_see_an_aligned_table_and_the_cost(self):
        out = good("snapshot", self.graph, "--at", 1000, "--cost").out.splitlines()
        header = next(line for line in out if line.startswith("KEY"))
        rows = out[out.index(header) + 1:-1]
        column = header.index("LOCATION")
        self.assertTrue(150 < len(rows) <= 217)
        self.assertTrue(all(row[column - 1] == " " and row[column:].startswith("tables/") for row in rows))
        self.assertRegex(out[-1], r"^cost: [12] requests? in \d rounds? \(\+2 to open\), \d+ KB read$")

    def test_list_streams_the_newest_first(self):
        records = good("commit", "list", self.graph, "--limit", 130, "--json").lines()
        self.assertEqual(len(records), 130)
        for later, earlier in zip(records, records[1:]):
            self.assertEqual(later["parent_commit_id"], earlier["commit_id"])
            self.assertEqual(later["seq"], earlier["seq"] + 1)
        self.assertTrue(all("carry" not in each for each in records))
        self.assertEqual(len(good("commit", "list", self.graph).out.splitlines()), 20)

    def test_show_prints_the_record(self):
        by_seq = good("commit", "show", self.graph, 437, "--json").json()
        self.assertEqual((by_seq["seq"], by_seq["format"]), (437, 1))
        self.assertEqual(good("commit", "show", self.graph, by_seq["commit_id"], "--json").json(), by_seq)
        self.assertIn(by_seq["commit_id"], good("commit", "show", self.graph, 437).out)

    def test_beyond_the_newest_is_not_found(self):
        for words in (("snapshot", self.graph, "--at", 5000), ("commit", "show", self.graph, 5000),
                      ("snapshot", self.graph, "--at", "01ARZ3NDEKTSV4RRFFQ69G5FAV")):
            self.assertEqual(run(*words).code, 3, words)

    def test_existing_graph_is_left_alone(self):
        self.assertEqual(run("demo", self.graph, "--commits", 1, "--json").error()["code"], "already_exists")
        self.assertEqual(run("demo", self.graph, "--commits", 1).code, 4)

    def test_reader_that_goes_away_is_a_failure(self):
        with start("commit", "list", self.graph, "--limit", 0, "--json") as listing:
            listing.stdout.readline()
            listing.stdout.close()
            self.assertEqual(listing.wait(patience), 1)

    def test_answers_that_cannot_be_written_are_failures(self):
        with open("/dev/full", "w") as full:
            self.assertEqual(run("snapshot", self.graph, "--json", stdout=full).code, 1)
        shell = ["sh", "-c", 'exec "$@" >&-', "sh", harness.program, "snapshot", self.graph]
        closed = subprocess.run(shell, stderr=subprocess.PIPE, env=environment(), timeout=patience)
        self.assertEqual(closed.returncode, 1)


class Commit(unittest.TestCase):
    def setUp(self):
        self.graph = small_graph()

    def newest(self):
        return good("snapshot", self.graph, "--json").json()

    def test_create_reads_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(next_version(1, "node:A", 2))
            file.flush()
            answer = good("commit", "create", self.graph, "--file", file.name, "--json").json()
        self.assertEqual(list(answer), ["seq", "commit_id", "stream", "attempts", "cost"])
        self.assertEqual((answer["seq"], answer["stream"], answer["attempts"]), (2, "main", 1))
        self.assertEqual(self.newest()["commit_id"], answer["commit_id"])
        self.assertEqual(self.newest()["tables"][0]["pin"]["staged_version"], 2**63 + 2)

    def test_create_tells_people_seq_and_id(self):
        out = good("commit", "create", self.graph, "--file", "-", "--cost", text=next_version(1, "node:A", 2)).out
        self.assertRegex(out, r"^seq 2  [0-9A-Z]{26}\ncost: .*\n$")

    def test_expecting_the_newest_publishes(self):
        expected = self.newest()["commit_id"]
        answer = good("commit", "create", self.graph, "--file", "-", "--expect", expected, "--json",
                      text=next_version(1, "node:A", 2))
        self.assertEqual(answer.json()["seq"], 2)

    def test_expecting_another_is_a_conflict_that_names_both(self):
        actual = self.newest()["commit_id"]
        for expected in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", ""):
            answer = run("commit", "create", self.graph, "--file", "-", "--expect", expected, "--json",
                         text=next_version(1, "node:A", 2))
            self.assertEqual(answer.code, 4)
            self.assertEqual(answer.out, "")
            error = answer.error()
            self.assertEqual((error["code"], error["expected"], error["actual"]), ("conflict", expected, actual))
        self.assertEqual(self.newest()["seq"], 1)

    def test_expecting_nothing_is_for_the_empty_graph(self):
        graph = store.fresh()
        good("init", graph)
        words = ("commit", "create", graph, "--file", "-", "--expect", "")
        self.assertEqual(run(*words, text=first_version(1, "node:A")).code, 0)
        self.assertEqual(run(*words, text=next_version(1, "node:A", 2)).code, 4)

    def test_answer_that_cannot_be_written_does_not_hide_the_commit(self):
        with open("/dev/full", "w") as full:
            answer = run("commit", "create", self.graph, "--file", "-", text=next_version(1, "node:A", 2), stdout=full)
        self.assertEqual(answer.code, 1)
        self.assertRegex(answer.err, "seq 2, commit [0-9A-Z]{26} was published")
        self.assertEqual(self.newest()["seq"], 2)

    def test_bad_intents_are_usage_errors_and_write_nothing(self):
        two_keys = {"registrations": [registration(7, "node:A")], "pins": []}
        bad = {
            "no JSON": "{",
            "nothing": "",
            "an array": "[]",
            "no pins": "{}",
            "a typo": '{"pins":[],"pinz":[]}',
            "a member twice": '{"pins":[],"pins":[]}',
            "text after it": '{"pins":[]} x',
            "a fraction": next_version(1, "node:A", 2).replace('"target_version": 2', '"target_version": 2.0'),
            "beyond u64": next_version(1, "node:A", 2).replace('"target_version": 2', '"target_version": 18446744073709551616'),
            "an unknown table": next_version(9, "node:B", 1),
            "another table's key": next_version(1, "node:B", 2),
            "a key that lives": json.dumps(two_keys),
            "an identity that lives": first_version(1, "node:C"),
            "the same pin twice": json.dumps({"pins": [pin(1, "node:A", 2), pin(1, "node:A", 3)]}),
        }
        for what, text in bad.items():
            with self.subTest(what):
                answer = run("commit", "create", self.graph, "--file", "-", "--json", text=text)
                self.assertEqual(answer.code, 2, answer.err)
                self.assertEqual(answer.error()["code"], "invalid_argument")
                self.assertEqual(answer.out, "")
        self.assertEqual(self.newest()["seq"], 1)

    def test_import_answers_line_by_line(self):
        with start("commit", "import", self.graph, "--file", "-", "--json", stdin=subprocess.PIPE) as importing:
            for version in (2, 3, 4):
                importing.stdin.write(next_version(1, "node:A", version) + "\n")
                importing.stdin.flush()
                self.assertEqual(json.loads(importing.stdout.readline())["seq"], version)
            importing.stdin.close()
            self.assertEqual(importing.wait(patience), 0)
        self.assertEqual(self.newest()["tables"][0]["pin"]["target_version"], 4)

    def test_import_summarises_for_people(self):
        lines = "\n".join(next_version(1, "node:A", version) for version in (2, 3, 4))
        self.assertEqual(good("commit", "import", self.graph, "--file", "-", text=lines).out, "3 commits, seq 2 to 4\n")
        self.assertEqual(good("commit", "import", self.graph, "--file", "-", text="").out, "0 commits\n")

    def test_import_stops_at_a_bad_line_and_keeps_those_before(self):
        lines = [next_version(1, "node:A", 2), "", next_version(1, "node:A", 3), next_version(9, "node:X", 1),
                 next_version(1, "node:A", 4)]
        answer = run("commit", "import", self.graph, "--file", "-", "--json", text="\n".join(lines))
        self.assertEqual(answer.code, 2)
        self.assertEqual([each["seq"] for each in answer.lines()], [2, 3])
        error = answer.error()
        self.assertEqual((error["code"], error["line"], error["committed"]), ("invalid_argument", "4", "2"))
        self.assertEqual(self.newest()["seq"], 3)

    def test_signal_stops_an_import_between_two_commits(self):
        with start("commit", "import", self.graph, "--file", "-", "--json", stdin=subprocess.PIPE) as importing:
            importing.stdin.write(next_version(1, "node:A", 2) + "\n")
            importing.stdin.flush()
            self.assertEqual(json.loads(importing.stdout.readline())["seq"], 2)
            importing.send_signal(signal.SIGTERM)
            self.assertEqual(importing.wait(patience), 1)
            error = json.loads(importing.stderr.read())["error"]
        self.assertEqual((error["code"], error["committed"]), ("cancelled", "1"))
        self.assertEqual(self.newest()["seq"], 2)


class Kill(unittest.TestCase):
    """kill -9 at any moment leaves a graph that reads, and takes the next commit, with an unbroken chain."""

    def test_import_may_be_killed_at_any_moment(self):
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        graph = small_graph()
        lines = "".join(next_version(1, "node:A", version) + "\n" for version in range(2, 2002))
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(lines)
            file.flush()
            for _ in range(store.kills):
                with self.subTest(seed=seed):
                    self.kill_once(graph, file.name, chance.uniform(0.02, 0.8))

    def kill_once(self, graph, file, after):
        before = good("snapshot", graph, "--json").json()["seq"]
        with start("commit", "import", graph, "--file", file, "--json") as importing:
            time.sleep(after)
            importing.kill()
            out, _ = importing.communicate()
        acknowledged = [json.loads(line) for line in out.splitlines() if line.endswith("}")]
        now = good("snapshot", graph, "--json").json()
        # What was acknowledged is there; beyond it at most the commit that was under way.
        self.assertIn(now["seq"] - before - len(acknowledged), (0, 1))
        after_it = good("commit", "create", graph, "--file", "-", "--json", text='{"pins":[]}').json()
        self.assertEqual(after_it["seq"], now["seq"] + 1)
        records = good("commit", "list", graph, "--limit", 0, "--json").lines()
        self.assertEqual([each["seq"] for each in records], list(range(after_it["seq"], 0, -1)))
        for later, earlier in zip(records, records[1:]):
            self.assertEqual(later["parent_commit_id"], earlier["commit_id"])
        ids = {each["seq"]: each["commit_id"] for each in records}
        for each in acknowledged:
            self.assertEqual(ids[each["seq"]], each["commit_id"])


class Mistakes(unittest.TestCase):
    def test_init_says_the_domain_and_refuses_a_second_time(self):
        graph = store.fresh()
        made = good("init", graph, "--checkpoint-interval", 10, "--carry-limit", 4096, "--json").json()
        self.assertEqual((made["graph"], made["checkpoint_interval"], made["carry_limit"]), (graph, 10, 4096))
        self.assertRegex(made["identity_domain"], "^[0-9A-Z]{26}$")
        # One look, the store's proof, two creates.
        self.assertEqual(made["cost"]["requests"], 1 + 14 + 2)
        self.assertEqual(run("init", graph).code, 4)
        self.assertEqual(run("init", store.fresh(), "--checkpoint-interval", 0).code, 2)

    def test_init_refuses_a_graph_that_lost_its_marker(self):
        graph = small_graph()
        raw = objects.of(store, graph)
        marker = raw.get("_graph/format.json")
        raw.remove("_graph/format.json")
        answer = run("init", graph, "--checkpoint-interval", 7, "--json")
        told = answer.error()
        self.assertEqual((answer.code, told["code"], told["key"]), (6, "corrupt", "_graph/format.json"))
        raw.put("_graph/format.json", marker)
        good("snapshot", graph)

    def test_empty_graph_reads(self):
        graph = store.fresh()
        good("init", graph)
        now = good("snapshot", graph, "--json").json()
        self.assertEqual((now["seq"], now["commit_id"], now["tables"]), (0, None, []))
        self.assertEqual(good("commit", "list", graph).out, "")
        self.assertIn("tables    0", good("snapshot", graph).out)

    def test_missing_graph_is_not_found_and_says_what_to_do(self):
        graph = store.fresh()
        for words in (("snapshot", graph), ("commit", "list", graph), ("commit", "show", graph, 1),
                      ("commit", "create", graph, "--file", "-")):
            answer = run(*words, text='{"pins":[]}')
            self.assertEqual(answer.code, 3, words)
            self.assertEqual(answer.out, "")
            self.assertRegex(answer.err, r"\Aheadwater: not_found: [^\n]*init[^\n]*\n\Z")

    def test_missing_branch_is_not_found(self):
        graph = small_graph()
        self.assertEqual(run("snapshot", graph, "--branch", "review/2026", "--json").error()["code"], "branch_not_found")
        self.assertEqual(run("snapshot", graph, "--branch", "review/2026").code, 3)
        self.assertEqual(run("snapshot", graph, "--branch", "a//b").code, 2)

    def test_wrong_words_are_usage_errors(self):
        graph = small_graph()
        lines = (("snapshot",), ("snapshot", "ftp://host/graph"), ("snapshot", "s3://"), ("frobnicate", graph),
                 ("snapshot", graph, "--at", "2026-13-02T03:04:05Z"), ("snapshot", graph, "--at", ""),
                 ("commit", "list", graph, "--limit", "-1"), ("commit", "create", graph, "--file", "/no/such/file"))
        for words in lines:
            plain = run(*words)
            self.assertEqual((plain.code, plain.out), (2, ""), words)
            self.assertRegex(plain.err, r"\Aheadwater: [^\n]+\n\Z")
            exact = run(*words, "--json")
            self.assertEqual(exact.code, 2, words)
            self.assertIn(exact.error()["code"], ("usage", "invalid_argument"))

    def test_version_and_help_need_no_graph(self):
        self.assertRegex(good("version").out, r"^headwater \d+\.\d+\.\d+\n$")
        self.assertEqual(good("version", "--json").json()["format"], 1)
        self.assertIn("snapshot", good("--help").out)
        self.assertIn("--expect", good("commit", "create", "--help").out)

    def test_memory_lives_for_one_command(self):
        self.assertEqual(good("demo", "memory:", "--commits", 10, "--json").json()["seq"], 10)
        self.assertEqual(run("snapshot", "memory:").code, 3)


class Server(unittest.TestCase):
    """What only a store behind a network can do to a user."""

    def test_missing_bucket_is_a_failure_of_configuration(self):
        answer = run("snapshot", store.missing_place, "--json")
        self.assertEqual(answer.code, 1)
        self.assertEqual(answer.error()["code"], "configuration")

    def test_wrong_secret_is_refused_and_never_shown(self):
        answer = run("snapshot", store.fresh(), "--json", settings=store.wrong_secret)
        self.assertEqual(answer.code, 1)
        self.assertEqual(answer.error()["code"], "access_denied")
        self.assertNotIn("c2VjcmV0", answer.err)

    def test_tls_leads_to_the_same_answers(self):
        settings = store.encrypted()
        graph = store.fresh()
        good("demo", graph, "--commits", 3, settings=settings)
        self.assertEqual(good("snapshot", graph, "--json", settings=settings).json()["seq"], 3)


class Damage(unittest.TestCase):
    """Objects torn by hand, as a bad disk would: what can be derived is derived, what cannot is never guessed."""

    def setUp(self):
        self.graph = store.fresh()
        good("demo", self.graph, "--commits", 120, "--tables", 30)
        self.folder = os.path.join(self.graph.removeprefix("file://"), "_graph", "main")
        self.before = state_of(self.read())

    def read(self):
        return good("snapshot", self.graph, "--json").json()

    def tear(self, name, content):
        path = os.path.join(self.folder, name)
        os.stat(path)
        with open(path, "w") as file:
            file.write(content)

    def record(self, seq):
        return f"{2**64 - 1 - seq:020}.commit"

    def test_tables_are_the_checkpoints_bytes(self):
        out = good("snapshot", self.graph, "--at", 100, "--json").out
        with open(os.path.join(self.folder, "checkpoints", f"{100:020}.json")) as file:
            checkpoint = file.read()
        heads = checkpoint[checkpoint.index('"heads":[') + 8:checkpoint.index(',"tombstoned":')]
        self.assertIn('"tables":' + heads, out)

    def test_empty_newest_record_is_corrupt_and_older_history_reads(self):
        past = good("snapshot", self.graph, "--at", 119, "--json").json()
        self.tear(self.record(120), "")
        answer = run("snapshot", self.graph, "--json")
        self.assertEqual((answer.code, answer.error()["code"]), (6, "corrupt"))
        self.assertIn(self.record(120), answer.error()["key"])
        self.assertEqual(run("commit", "create", self.graph, "--file", "-", text='{"pins":[]}').code, 6)
        self.assertFalse(os.path.exists(os.path.join(self.folder, self.record(121))))
        self.assertEqual(state_of(good("snapshot", self.graph, "--at", 119, "--json").json()), state_of(past))

    def test_torn_checkpoint_is_replaced_by_the_records(self):
        path = os.path.join(self.folder, "checkpoints", f"{100:020}.json")
        with open(path) as file:
            whole = file.read()
        for content in (whole[:len(whole) // 2], "", whole.replace('"seq":100', '"seq":101', 1)):
            self.tear(path, content)
            now = self.read()
            self.assertIs(now["degraded"], True)
            self.assertEqual(state_of(now), self.before)
        os.unlink(path)
        now = self.read()
        self.assertIs(now["degraded"], True)
        self.assertEqual(state_of(now), self.before)

    def test_hint_may_be_anything(self):
        for content in ('{"seq":', "", '{"seq":3}', '{"seq":999}', '{"seq":18446744073709551615}', "null",
                        '{"seq":120,"checkpoint":7}'):
            self.tear("latest.json", content)
            self.assertEqual(state_of(self.read()), self.before, content)
        os.unlink(os.path.join(self.folder, "latest.json"))
        self.assertEqual(state_of(self.read()), self.before)
        self.assertEqual(good("commit", "create", self.graph, "--file", "-", "--json", text='{"pins":[]}').json()["seq"], 121)

    def test_missing_record_is_a_gap_not_the_end(self):
        os.unlink(os.path.join(self.folder, self.record(110)))
        self.assertEqual(run("snapshot", self.graph, "--at", 110, "--json").error()["code"], "history_gap")
        self.assertEqual(run("snapshot", self.graph, "--at", 110).code, 6)
        self.assertEqual(state_of(self.read()), self.before)


def load_tests(loader, _standard, _pattern):
    own = Damage if store.name == "file" else Server
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, (Mistakes, Commit, Demo, Kill, own)))


def use(chosen):
    global store
    store = chosen


if __name__ == "__main__":
    sys.exit(harness.main("cli_test", use))
