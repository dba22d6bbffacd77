#!/usr/bin/env python3
"""diff, time travel, heads, resolve and the change feed, run as a user types them:
verbs_test.py PROGRAM file|s3|azure [unittest options].
"""
import datetime
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import harness
from harness import first_version, good, next_version, patience, pin, registration, run, small_graph, start

store = None
commits_each = int(os.environ.get("HEADWATER_TEST_COMMITS_EACH", "125"))  # Of each process that races.


def commit(graph, intent, *more):
    text = intent if isinstance(intent, str) else json.dumps(intent)
    return good("commit", "create", graph, "--file", "-", "--json", *more, text=text).json()


def drop(table, key, incarnation=1):
    return {"stable_table_id": table, "incarnation": incarnation, "table_key": key}


def owned(table, key, version, branch):
    return {**pin(table, key, version), "table_branch": branch}


def storied_graph():
    """node:A is pinned, renamed to node:Z and handed off; node:B is dropped and its key taken by another table."""
    graph = small_graph()
    commit(graph, first_version(2, "node:B"))
    commit(graph, next_version(1, "node:A", 2))
    commit(graph, {"pins": [], "renames": [{"stable_table_id": 1, "incarnation": 1, "from": "node:A", "to": "node:Z"}]})
    commit(graph, {"pins": [owned(1, "node:Z", 2, "review")]})
    commit(graph, {"tombstones": [drop(2, "node:B")], "registrations": [registration(3, "node:B")],
                   "pins": [pin(3, "node:B", 9)]})
    return graph


class Diff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = storied_graph()

    def changes(self, old, new):
        return good("diff", self.graph, old, new, "--json").json()["tables"]

    def told(self, old, new):
        return [(each["stable_table_id"], each["changes"]) for each in self.changes(old, new)]

    def test_pairs_by_identity(self):
        self.assertEqual(self.told(2, 3), [(1, ["repinned"])])
        self.assertEqual(self.told(3, 4), [(1, ["renamed"])])
        self.assertEqual(self.told(4, 5), [(1, ["handed_off"])])
        self.assertEqual(self.told(5, 6), [(2, ["removed"]), (3, ["added"])])
        self.assertEqual(self.told(6, 5), [(2, ["added"]), (3, ["removed"])])
        self.assertEqual(self.told(6, 6), [])
        self.assertEqual(self.told(0, 6), [(1, ["added"]), (3, ["added"])])

    def test_gives_both_heads_exactly(self):
        (change,) = self.changes(2, 3)
        self.assertEqual((change["before"]["pin"]["staged_version"], change["after"]["pin"]["staged_version"]),
                         (2**63 + 1, 2**63 + 2))

    def test_takes_ids_and_times(self):
        records = {each["seq"]: each for each in good("commit", "list", self.graph, "--json").lines()}
        by_id = good("diff", self.graph, records[2]["commit_id"], records[3]["commit_id"], "--json").json()
        self.assertEqual((by_id["from"]["seq"], by_id["to"]["seq"]), (2, 3))

    def test_tells_people(self):
        out = good("diff", self.graph, 4, 6).out
        self.assertIn("handed_off  1/1  node:Z  owner none to review", out)
        self.assertIn("removed  2/1  node:B", out)
        self.assertIn("added  3/1  node:B  version 9", out)

    def test_missing_end_is_not_found(self):
        self.assertEqual(run("diff", self.graph, 1, 99).code, 3)
        self.assertEqual(run("diff", self.graph, 1).code, 2)


class TimeTravel(unittest.TestCase):
    def test_time_is_the_last_commit_not_later(self):
        graph = small_graph()
        for version in range(2, 9):
            commit(graph, next_version(1, "node:A", version))
        for record in good("commit", "list", graph, "--json").lines():
            seconds, milliseconds = divmod(record["created_at"], 1000)
            then = self.rfc3339(seconds, milliseconds)
            self.assertEqual(self.at(graph, then), record["seq"])
            before = self.rfc3339(*divmod(record["created_at"] - 1, 1000))
            self.assertEqual(self.at(graph, before), record["seq"] - 1)
        self.assertEqual(self.at(graph, "2200-01-01T00:00:00Z"), 8)
        self.assertEqual(self.at(graph, "1999-01-01T00:00:00+02:00"), 0)
        self.assertEqual(good("commit", "show", graph, "2200-01-01T00:00:00Z", "--json").json()["seq"], 8)

    def rfc3339(self, seconds, milliseconds):
        base = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        return base.strftime("%Y-%m-%dT%H:%M:%S") + f".{milliseconds:03}Z"

    def at(self, graph, time):
        return good("snapshot", graph, "--at", time, "--json").json()["seq"]

    def test_wrong_time_is_a_usage_error(self):
        graph = small_graph()
        for wrong in ("2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"):
            self.assertEqual(run("snapshot", graph, "--at", wrong).code, 2, wrong)


class Heads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = storied_graph()

    def test_list_has_live_and_dropped(self):
        view = good("heads", "list", self.graph, "--json").json()
        self.assertEqual([(each["stable_table_id"], each["table_key"]) for each in view["heads"]],
                         [(1, "node:Z"), (3, "node:B")])
        self.assertEqual(view["heads"][0]["pin"]["table_branch"], "review")
        (stone,) = view["tombstones"]
        self.assertEqual((stone["stable_table_id"], stone["incarnation"], stone["seq"]), (2, 1, 6))
        self.assertEqual(stone["head_commit_id"], view["commit_id"])
        self.assertEqual(good("heads", "list", self.graph, "--at", 5, "--json").json()["tombstones"], [])

    def test_show_finds_by_key_and_identity(self):
        by_key = good("heads", "show", self.graph, "node:B", "--json").json()
        self.assertEqual((len(by_key["heads"]), len(by_key["tombstones"])), (1, 1))
        for name in ("2", "2/1"):
            by_id = good("heads", "show", self.graph, name, "--json").json()
            self.assertEqual((len(by_id["heads"]), len(by_id["tombstones"])), (0, 1))
        self.assertRegex(good("heads", "show", self.graph, "1/1").out, r"1/1 +live +node:Z +2 +review +[0-9A-Z]{26}\n")
        self.assertEqual(run("heads", "show", self.graph, "node:Nobody").code, 3)

    def test_verify_folds_the_records_again(self):
        self.assertEqual(good("heads", "verify", self.graph, "--json").json()["findings"], [])
        self.assertIn("0 findings", good("heads", "verify", self.graph).out)

    def test_unmet_expectations_are_a_failed_precondition(self):
        self.assertEqual(self.verify([{"stable_table_id": 1, "incarnation": 1, "table_key": "node:Z"}]), (0, []))
        expected = [{"stable_table_id": 2, "incarnation": 1}, {"stable_table_id": 3, "incarnation": 1, "schema_hash": "x"},
                    {"stable_table_id": 1, "incarnation": 1, "table_key": "node:A"},
                    {"stable_table_id": 1, "incarnation": 1}]
        self.assertEqual(self.verify(expected), (4, ["missing", "mismatched", "mismatched", "duplicate"]))
        for wrong in ("{}", '[{"stable_table_id":0,"incarnation":1}]', '[{"stable_table_id":1}]', '[{"stable_id":1}]'):
            self.assertEqual(run("heads", "verify", self.graph, "--expect", "-", text=wrong).code, 2, wrong)

    def verify(self, expected):
        answer = run("heads", "verify", self.graph, "--expect", "-", "--json", text=json.dumps(expected))
        return answer.code, [each["finding"] for each in answer.json()["findings"]]


class Resolve(unittest.TestCase):
    """The exit code is the answer: 0 committed, 4 not committed, 5 unknown."""

    def setUp(self):
        self.graph = small_graph()
        self.made = commit(self.graph, next_version(1, "node:A", 2))

    def token(self, seq, commit_id, digest):
        return f"{seq}.{commit_id}.{digest}.main"

    def digest(self, seq):
        return hashlib.sha256(good("commit", "show", self.graph, seq, "--json").out[:-1].encode()).hexdigest()

    def ask(self, token):
        answer = run("resolve", self.graph, token, "--json")
        return answer.code, answer.json()["outcome"], answer

    def test_published_bytes_are_committed(self):
        code, outcome, answer = self.ask(self.token(2, self.made["commit_id"], self.digest(2)))
        self.assertEqual((code, outcome), (0, "committed"))
        self.assertEqual(answer.json()["cost"]["requests"], 2)
        human = good("resolve", self.graph, self.token(2, self.made["commit_id"], self.digest(2))).out
        self.assertEqual(human, f"committed  seq 2  {self.made['commit_id']}\n")

    def test_another_commit_in_the_place_is_not_committed(self):
        ours = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
        code, outcome, answer = self.ask(self.token(2, ours, 64 * "0"))
        self.assertEqual((code, outcome, answer.json()["actual"]), (4, "not_committed", self.made["commit_id"]))
        self.assertEqual((answer.error()["expected"], answer.error()["actual"]), (ours, self.made["commit_id"]))

    def test_empty_place_is_unknown_until_the_next_commit(self):
        token = self.token(3, "01ARZ3NDEKTSV4RRFFQ69G5FAV", 64 * "0")
        code, outcome, answer = self.ask(token)
        self.assertEqual((code, outcome, answer.error()["resume"]), (5, "unknown", token))
        commit(self.graph, next_version(1, "node:A", 3))
        self.assertEqual(self.ask(token)[:2], (4, "not_committed"))

    def test_wrong_tokens_are_usage_errors(self):
        for wrong in ("", "x", "2.main", self.token(0, self.made["commit_id"], 64 * "0"), 5000 * "9"):
            self.assertEqual(run("resolve", self.graph, wrong).code, 2, wrong)

    def test_stream_that_never_was_is_not_found(self):
        token = f"2.{self.made['commit_id']}.{64 * '0'}.review.01ARZ3NDEKTSV4RRFFQ69G5FAV"
        self.assertEqual(run("resolve", self.graph, token, "--json").error()["code"], "branch_not_found")


class Publishing(unittest.TestCase):
    def keyed(self, version, key):
        return {**json.loads(next_version(1, "node:A", version)), "idempotency_key": key}

    def test_same_key_answers_with_the_first_commit(self):
        graph = small_graph()
        first = commit(graph, self.keyed(2, "load-7"))
        self.assertNotIn("repeated", first)
        commit(graph, next_version(1, "node:A", 3))
        for more in ((), ("--expect", first["commit_id"]), ("--expect", "")):
            again = commit(graph, self.keyed(2, "load-7"), *more)
            self.assertEqual((again["seq"], again["commit_id"], again["repeated"]), (2, first["commit_id"], True))
        self.assertEqual(good("snapshot", graph, "--json").json()["seq"], 3)
        self.assertEqual(commit(graph, self.keyed(4, "load-8"))["seq"], 4)

    def test_processes_that_race_with_one_key_make_one_commit(self):
        graph = small_graph()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.keyed(2, "only-once"), file)
            file.flush()
            racing = [start("commit", "create", graph, "--file", file.name, "--json") for _ in range(6)]
            answers = [(each.communicate(timeout=patience), each.returncode) for each in racing]
        self.assertEqual([code for _, code in answers], 6 * [0], answers)
        told = [json.loads(out) for (out, _), _ in answers]
        self.assertEqual({each["commit_id"] for each in told}, {told[0]["commit_id"]})
        self.assertEqual(sum("repeated" not in each for each in told), 1)
        self.assertEqual(good("snapshot", graph, "--json").json()["seq"], 2)

    def test_schema_content_is_archived_and_must_be_the_schemas(self):
        graph = small_graph()
        content = b"OGSC0001 a contract\x00\xff"
        schema = {"identity_domain": "d", "ir_hash": "sha256:i", "identity_version": 1,
                  "content_hash": "sha256:" + hashlib.sha256(content).hexdigest()}
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            words = ("commit", "create", graph, "--file", "-", "--schema-content", file.name)
            self.assertEqual(run(*words, text=json.dumps({"pins": [], "schema": schema})).code, 0)
            self.assertEqual(run(*words, text=json.dumps({"pins": [], "schema": schema})).code, 0)
            other = {**schema, "content_hash": "sha256:" + 64 * "0"}
            self.assertEqual(run(*words, text=json.dumps({"pins": [], "schema": other})).code, 2)
            self.assertEqual(run(*words[:-1], "/no/such/file", text='{"pins":[]}').code, 2)
        now = good("snapshot", graph, "--json").json()
        self.assertEqual((now["seq"], now["schema"]), (3, schema))


class Changes(unittest.TestCase):
    """The change feed, once and followed."""

    @staticmethod
    def poll(graph, *words):
        *blocks, page = good("changes", "poll", graph, "--json", *words).lines()
        return blocks, page

    @classmethod
    def setUpClass(cls):
        cls.graph = storied_graph()

    def test_beginning_tells_of_each_commit(self):
        blocks, page = self.poll(self.graph, "--start", "beginning")
        self.assertEqual([each["seq"] for each in blocks], [1, 2, 3, 4, 5, 6])
        told = [[(change["table_key"], change["changes"]) for change in each["changes"]] for each in blocks]
        self.assertEqual(told[0], [("node:A", ["registered", "pinned"])])
        self.assertEqual(told[3], [("node:Z", ["renamed"])])
        self.assertEqual(told[4], [("node:Z", ["pinned"])])
        self.assertEqual(told[5], [("node:B", ["dropped"]), ("node:B", ["registered", "pinned"])])
        self.assertEqual(page["caught_up"], True)
        self.assertEqual(page["cursor"], blocks[-1]["cursor"])

    def test_pages_and_cursors_lead_through(self):
        blocks, page = self.poll(self.graph, "--start", "beginning", "--limit", 4)
        self.assertEqual(([each["seq"] for each in blocks], page["caught_up"]), ([1, 2, 3, 4], False))
        rest, page = self.poll(self.graph, "--cursor", page["cursor"])
        self.assertEqual(([each["seq"] for each in rest], page["caught_up"]), ([5, 6], True))
        after, _ = self.poll(self.graph, "--start", "after:" + blocks[1]["commit_id"])
        self.assertEqual([each["seq"] for each in after], [3, 4, 5, 6])
        nothing, page = self.poll(self.graph)
        self.assertEqual((nothing, page["caught_up"]), ([], True))
        only, _ = self.poll(self.graph, "--start", "beginning", "--table", 2)
        self.assertEqual([len(each["changes"]) for each in only], [0, 1, 0, 0, 0, 1])

    def test_tells_people(self):
        out = good("changes", "poll", self.graph, "--start", "beginning").out
        self.assertIn("  renamed  1/1  node:Z  from node:A\n", out)
        self.assertRegex(out, r"caught up, cursor [A-Za-z0-9_-]+\n$")

    def test_cursor_of_another_graph_filter_or_nothing_is_rejected(self):
        _, page = self.poll(self.graph)
        _, foreign = self.poll(small_graph())
        cursor = page["cursor"]
        for words in ((foreign["cursor"],), (cursor, "--table", 1), (cursor[:-1],), ("x",), (cursor + "A",)):
            answer = run("changes", "poll", self.graph, "--json", "--cursor", *words)
            self.assertEqual((answer.code, answer.error()["code"]), (4, "cursor_rejected"), words)

    def test_wrong_words_are_usage_errors(self):
        _, page = self.poll(self.graph)
        for words in (("--start", "then"), ("--limit", 0), ("--limit", 513), ("--table", -1), ("--start", "now", "--cursor",
                      page["cursor"])):
            self.assertEqual(run("changes", "poll", self.graph, *words).code, 2, words)
        self.assertEqual(run("changes", "poll", self.graph, "--start", "after:nobody").code, 3)

    def test_follow_tells_at_once_and_ends_when_asked(self):
        for ending in (signal.SIGINT, signal.SIGTERM):
            graph = small_graph()
            with start("changes", "poll", graph, "--start", "beginning", "--follow", "--json") as following:
                self.assertEqual(json.loads(following.stdout.readline())["seq"], 1)
                page = json.loads(following.stdout.readline())
                self.assertEqual(page["caught_up"], True)
                for version in (2, 3):
                    made = commit(graph, next_version(1, "node:A", version))
                    block = json.loads(following.stdout.readline())
                    self.assertEqual((block["seq"], block["commit_id"]), (version, made["commit_id"]))
                    page = json.loads(following.stdout.readline())
                following.send_signal(ending)
                out, err = following.communicate(timeout=patience)
                self.assertEqual((following.returncode, out, err), (0, "", ""))
            nothing, _ = self.poll(graph, "--cursor", page["cursor"])
            self.assertEqual(nothing, [])

    def test_follow_waits_ever_longer_and_asks_once_a_poll(self):
        graph = small_graph()
        with start("changes", "poll", graph, "--follow", "--json", "--cost") as following:
            opening = json.loads(following.stdout.readline())["cost"]
            time.sleep(3)
            following.send_signal(signal.SIGTERM)
            _, err = following.communicate(timeout=patience)
        (requests,) = re.fullmatch(r"cost: (\d+) requests? in .*\n", err).groups()
        # At 0.1, 0.3, 0.7, 1.5 and 3.1 seconds: without longer waits it would be thirty.
        self.assertIn(int(requests) - opening["requests"] - opening["open_requests"], range(1, 6))

    def test_caught_up_poll_is_one_request_after_its_opening(self):
        _, page = self.poll(self.graph)
        _, again = self.poll(self.graph, "--cursor", page["cursor"])
        cost = again["cost"]
        # The record that the cursor names, the one after it, and the hint, which tells the end from a hole.
        self.assertEqual((cost["requests"], cost["open_requests"]), (3, 2))

    def test_follow_ends_when_nobody_reads(self):
        graph = small_graph()
        with start("changes", "poll", graph, "--start", "beginning", "--follow", "--json") as following:
            following.stdout.readline()
            following.stdout.close()
            self.assertEqual(following.wait(patience), 0)
            self.assertEqual(following.stderr.read(), "")


class Credentials(unittest.TestCase):
    """What a profile's program prints opens the same store as keys in the environment do."""

    def test_come_from_a_profile(self):
        if store.name != "s3":
            return
        graph = small_graph()
        keys = {"Version": 1, "AccessKeyId": store.settings["AWS_ACCESS_KEY_ID"], "SecretAccessKey": store.secret}
        with tempfile.TemporaryDirectory() as folder:
            printed = os.path.join(folder, "printed")
            config = os.path.join(folder, "config")
            with open(printed, "w") as file:
                json.dump(keys, file)
            with open(config, "w") as file:
                file.write(f"[profile printing]\ncredential_process = cat {printed}\n")
            profile = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": config,
                       "AWS_PROFILE": "printing"}
            self.assertEqual(good("snapshot", graph, "--json", settings=profile).json()["seq"], 1)
            absent = run("snapshot", graph, "--json", settings={**profile, "AWS_PROFILE": "absent"})
        self.assertEqual((absent.code, absent.error()["code"]), (1, "configuration"))
        self.assertNotIn(store.secret, absent.err)

    def test_nothing_configured_is_told_without_a_request(self):
        if store.name != "s3":
            return
        nothing = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "true",
                   "HOME": "/nonexistent"}
        answer = run("snapshot", store.fresh(), "--json", settings=nothing)
        self.assertEqual((answer.code, answer.error()["code"]), (1, "configuration"))
        self.assertIn("AWS_PROFILE", answer.err)


class Presign(unittest.TestCase):
    """A URL is enough to read one object; what it says cannot be changed."""

    def url(self, graph, key, *more):
        return good("presign", graph, key, "--json", *more).json()["url"]

    def read(self, url):
        with urllib.request.urlopen(url, timeout=patience) as answer:
            return answer.read()

    def status(self, url):
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.read(url)
        with refused.exception as answer:
            return answer.code

    def test_reads_one_object_and_no_other(self):
        graph = small_graph()
        if store.name == "file":
            answer = run("presign", graph, "_graph/format.json", "--json")
            self.assertEqual((answer.code, answer.error()["code"]), (1, "unsupported"))
            return
        url = self.url(graph, "_graph/format.json")
        self.assertIn("identity_domain", json.loads(self.read(url)))
        self.assertEqual(self.status(url.replace("/format.json", "/streams/main.json")), 403)
        self.assertEqual(self.status(self.url(graph, "no such \u00fc&+%41 key")), 404)
        self.assertEqual(good("presign", graph, "k", "--expires", "7d").out.count("\n"), 1)

    def test_ends_in_time(self):
        if store.name == "file":
            return
        graph = small_graph()
        url = self.url(graph, "_graph/format.json", "--expires", "1s")
        time.sleep(2.5)
        self.assertEqual(self.status(url), 403)
        self.assertEqual(run("presign", graph, "k", "--expires", "8d").code, 2)


class Together(unittest.TestCase):
    """Many processes on one stream: the store alone decides who was first."""

    def test_eight_processes_make_one_chain(self):
        processes, each = 8, commits_each
        graph = store.fresh()
        good("init", graph)
        shell = 'i=0; while [ $i -lt "$1" ]; do "$2" commit create "$3" --file "$4" --json || exit $?; i=$((i+1)); done'
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"pins":[]}')
            file.flush()
            words = ["sh", "-c", shell, "sh", str(each), harness.program, graph, file.name]
            racing = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env=harness.environment()) for _ in range(processes)]
            answers = [one.communicate(timeout=4 * patience) + (one.returncode,) for one in racing]
        self.assertEqual([code for _, _, code in answers], processes * [0], [err for _, err, _ in answers])
        made = [[json.loads(line) for line in out.splitlines()] for out, _, _ in answers]
        self.assertEqual([len(own) for own in made], processes * [each])
        records = good("commit", "list", graph, "--limit", 0, "--json").lines()
        self.assertEqual([one["seq"] for one in records], list(range(processes * each, 0, -1)))
        for later, earlier in zip(records, records[1:]):
            self.assertEqual(later["parent_commit_id"], earlier["commit_id"])
        ids = {one["seq"]: one["commit_id"] for one in records}
        for own in made:
            for receipt in own:
                self.assertEqual(ids.pop(receipt["seq"]), receipt["commit_id"])
        self.assertEqual(ids, {})


def use(chosen):
    global store
    store = chosen


if __name__ == "__main__":
    sys.exit(harness.main("verbs_test", use))
