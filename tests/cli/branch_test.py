#!/usr/bin/env python3
"""The branch verbs and --branch, run as a user types them: branch_test.py PROGRAM file|s3|azure [unittest options]."""
import concurrent.futures
import json
import sys
import unittest

import harness
import objects
from harness import first_version, good, next_version, run, small_graph, start

store = None


def commit(graph, version, branch, table=1, key="node:A"):
    answer = good("commit", "create", graph, "--branch", branch, "--file", "-", "--json",
                  text=next_version(table, key, version))
    return answer.json()


def newest(graph, branch, *more):
    return good("snapshot", graph, "--branch", branch, "--json", *more).json()


def names(graph):
    return [each["branch"] for each in good("branch", "list", graph, "--json").json()["branches"]]


class Branches(unittest.TestCase):
    def error_of(self, code, exit_code, *words, **how):
        answer = run(*words, "--json", **how)
        self.assertEqual((answer.code, answer.error()["code"]), (exit_code, code), words)

    def test_every_verb_works_on_a_child(self):
        graph = small_graph()
        for version in range(2, 53):
            commit(graph, version, "main")
        made = good("branch", "create", graph, "review/2026", "--json").json()
        self.assertEqual((made["branch"], made["floor"], made["parent"]["seq"]), ("review/2026", 52, 52))
        first = commit(graph, 100, "review/2026")
        self.assertEqual((first["seq"], first["stream"]), (53, made["stream"]))
        commit(graph, 60, "main")
        last = commit(graph, 101, "review/2026")

        def version(branch, *more):
            return newest(graph, branch, *more)["tables"][0]["pin"]["target_version"]

        self.assertEqual((version("main"), version("review/2026")), (60, 101))
        self.assertEqual(version("review/2026", "--at", "53"), 100)
        self.assertEqual(version("review/2026", "--at", "52"), 52)
        below = newest(graph, "review/2026", "--at", "20")
        self.assertEqual((below["stream"], below["tables"][0]["pin"]["target_version"]), ("main", 20))
        self.assertEqual(newest(graph, "review/2026", "--at", below["commit_id"])["seq"], 20)
        listed = good("commit", "list", graph, "--branch", "review/2026", "--json").lines()
        self.assertEqual([each["seq"] for each in listed], [54, 53])
        shown = good("commit", "show", graph, last["commit_id"], "--branch", "review/2026", "--json").json()
        self.assertEqual(shown["parent_commit_id"], first["commit_id"])
        changes = good("changes", "poll", graph, "--branch", "review/2026", "--start", "beginning", "--json").lines()
        self.assertIn(first["commit_id"], json.dumps(changes))
        good("diff", graph, "20", "54", "--branch", "review/2026")
        for at in ("20", "52", "54"):
            good("heads", "verify", graph, "--branch", "review/2026", "--at", at)
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])

    def test_fork_may_be_a_past_commit_or_time_of_any_branch(self):
        graph = small_graph()
        second = commit(graph, 2, "main")
        commit(graph, 3, "main")
        good("branch", "create", graph, "a", "--at", "1")
        self.assertEqual(newest(graph, "a")["seq"], 1)
        good("branch", "create", graph, "b", "--at", second["commit_id"])
        self.assertEqual(newest(graph, "b")["seq"], 2)
        good("branch", "create", graph, "empty", "--at", "0")
        good("commit", "create", graph, "--branch", "empty", "--file", "-", text=first_version(7, "node:Z"))
        commit(graph, 9, "a")
        good("branch", "create", graph, "a/child", "--from", "a", "--at", "2999-01-01T00:00:00Z")
        self.assertEqual(newest(graph, "a/child")["tables"][0]["pin"]["target_version"], 9)
        self.assertEqual(names(graph), ["a", "a/child", "b", "empty", "main"])
        self.error_of("not_found", 3, "branch", "create", graph, "c", "--at", "99")
        self.error_of("branch_not_found", 3, "branch", "create", graph, "c", "--from", "d")

    def test_names_are_bytes(self):
        graph = small_graph()
        wanted = ["Review", "a b", "a/b/c", "release.1.2", "über/東京 #1%2F&x=+", "~"]
        for name in wanted:
            good("branch", "create", graph, name)
            self.assertEqual(commit(graph, 5, name)["seq"], 2, name)
        self.assertEqual(sorted(names(graph)), sorted([*wanted, "main"]))
        for name in ("", "/a", "a/", "a//b", "a/../b", "a\nb", "x.01ARZ3NDEKTSV4RRFFQ69G5FAV", "main", "n" * 181):
            self.assertEqual(run("branch", "create", graph, name).code, 2, name)
        self.assertEqual(run("branch", "delete", graph, "main").code, 2)

    def test_delete_and_create_again_is_another_life(self):
        graph = small_graph()
        first = good("branch", "create", graph, "review", "--json").json()
        commit(graph, 2, "review")
        self.error_of("branch_exists", 4, "branch", "create", graph, "review")
        ended = good("branch", "delete", graph, "review", "--json").json()
        self.assertEqual((ended["stream"], ended["final_seq"]), (first["stream"], 3))
        self.assertEqual(names(graph), ["main"])
        for verb in (("snapshot",), ("commit", "list"), ("changes", "poll")):
            answer = run(*verb, graph, "--branch", "review", "--json")
            self.assertEqual(answer.code, 3, verb)
        self.error_of("branch_not_found", 3, "branch", "delete", graph, "review")
        self.error_of("branch_not_found", 3, "commit", "create", graph, "--branch", "review", "--file", "-",
                      text=next_version(1, "node:A", 3))
        second = good("branch", "create", graph, "review", "--json").json()
        self.assertNotEqual(first["stream"], second["stream"])
        self.assertEqual(newest(graph, "review")["seq"], 1)
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])

    def test_branch_whose_end_is_torn_is_deleted_by_force_and_stops_no_cleanup(self):
        graph = small_graph()
        stream = good("branch", "create", graph, "review", "--json").json()["stream"]
        commit(graph, 2, "review")
        raw = objects.of(store, graph)
        raw.put(f"_graph/{stream}/{2**64 - 1 - 2:020}.commit", b"")
        self.error_of("corrupt", 6, "branch", "delete", graph, "review")
        for words in ((), ("--confirm", "--quiesced")):
            answer = run("cleanup", graph, "--keep", 2, *words, "--json")
            faults = {each["stream"]: bool(each["fault"]) for each in answer.json()["streams"]}
            self.assertEqual((answer.code, faults), (6, {"main": False, stream: True}), words)
        ended = good("branch", "delete", graph, "review", "--force", "--json").json()
        self.assertEqual((ended["stream"], ended["final_seq"]), (stream, 3))
        self.assertEqual(names(graph), ["main"])
        good("cleanup", graph, "--keep", 2, "--confirm", "--quiesced")
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])
        good("branch", "create", graph, "review")

    def test_a_follower_is_told_that_its_branch_ended(self):
        graph = small_graph()
        good("branch", "create", graph, "review")
        follower = start("changes", "poll", graph, "--branch", "review", "--start", "beginning", "--follow", "--json")
        done = commit(graph, 2, "review")
        while done["commit_id"] not in follower.stdout.readline():
            self.assertIsNone(follower.poll())
        good("branch", "delete", graph, "review")
        _, err = follower.communicate(timeout=harness.patience)
        self.assertEqual((follower.returncode, json.loads(err)["error"]["code"]), (3, "branch_retired"))

    def test_a_cursor_outlives_its_branch(self):
        graph = small_graph()
        good("branch", "create", graph, "review")
        cursor = good("changes", "poll", graph, "--branch", "review", "--json").lines()[-1]["cursor"]
        told = [commit(graph, version, "review")["commit_id"] for version in (2, 3, 4)]
        good("branch", "delete", graph, "review")
        words = ("changes", "poll", graph, "--branch", "review")
        *blocks, page = good(*words, "--cursor", cursor, "--json").lines()
        self.assertEqual([each["commit_id"] for each in blocks], told)
        self.assertFalse(page["caught_up"])
        self.error_of("branch_retired", 3, *words, "--cursor", page["cursor"])
        self.error_of("branch_retired", 3, *words, "--start", "beginning")

    def test_of_creators_of_one_name_one_wins(self):
        graph = small_graph()
        with concurrent.futures.ThreadPoolExecutor(8) as many:
            answers = list(many.map(lambda _: run("branch", "create", graph, "review", "--json"), range(8)))
        winners = [each.json()["stream"] for each in answers if each.code == 0]
        self.assertEqual(len(winners), 1)
        for each in answers:
            if each.code != 0:
                self.assertEqual((each.code, each.error()["code"]), (4, "branch_exists"))
        self.assertEqual(commit(graph, 2, "review")["stream"], winners[0])

    def test_no_graph_is_not_found(self):
        graph = store.fresh()
        for words in (("list",), ("create", "a"), ("delete", "a")):
            self.assertEqual(run("branch", words[0], graph, *words[1:]).code, 3, words)


class Merge(unittest.TestCase):
    def merge(self, graph, *more):
        return good("branch", "merge", graph, "review", "--json", *more).json()

    def graph(self):
        """Tables 1 and 2 at seq 2, where review begins."""
        graph = small_graph()
        good("commit", "create", graph, "--file", "-", text=first_version(2, "node:B"))
        good("branch", "create", graph, "review")
        return graph

    def versions(self, graph, branch="main"):
        return [each["pin"]["target_version"] for each in newest(graph, branch)["tables"]]

    def test_outcomes(self):
        graph = self.graph()
        self.assertEqual(self.merge(graph)["outcome"], "already_up_to_date")
        done = commit(graph, 10, "review")
        forward = self.merge(graph)
        self.assertEqual((forward["outcome"], forward["seq"], forward["attempts"]), ("fast_forward", 3, 1))
        self.assertEqual((forward["source"]["seq"], forward["source"]["commit_id"]), (3, done["commit_id"]))
        self.assertEqual(self.versions(graph), [10, 1])
        record = good("commit", "show", graph, "3", "--json").json()
        self.assertEqual((record["lineage"]["kind"], record["lineage"]["merged_parent_commit_id"]),
                         ("fast_forward", done["commit_id"]))
        commit(graph, 20, "main", 2, "node:B")
        commit(graph, 11, "review")
        self.assertEqual(self.merge(graph)["outcome"], "merged")
        self.assertEqual(self.versions(graph), [11, 20])
        back = good("branch", "merge", graph, "main", "--into", "review")
        self.assertIn("fast_forward", back.out)
        self.assertEqual(self.versions(graph, "review"), [11, 20])
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])

    def test_conflict_names_the_tables_and_changes_nothing(self):
        graph = self.graph()
        for branch, version in (("main", 20), ("review", 10)):
            commit(graph, version, branch)
        commit(graph, 11, "review", 2, "node:B")
        answer = run("branch", "merge", graph, "review", "--json")
        self.assertEqual((answer.code, answer.error()["code"], answer.error()["conflicts"]),
                         (4, "merge_conflict", ["1 node:A"]))
        self.assertIn("1 node:A", run("branch", "merge", graph, "review").err)
        self.assertEqual(self.versions(graph), [20, 1])

    def test_source_can_be_deleted_with_it(self):
        graph = self.graph()
        commit(graph, 10, "review")
        self.assertTrue(self.merge(graph, "--delete-branch")["source_deleted"])
        self.assertEqual(names(graph), ["main"])
        self.assertEqual(self.versions(graph), [10, 1])
        # The second try, of somebody who was not told of the first one.
        again = self.merge(graph, "--delete-branch")
        self.assertEqual((again["outcome"], again["source_deleted"]), ("already_up_to_date", True))
        self.assertEqual(run("branch", "merge", graph, "review").code, 3)
        good("branch", "create", graph, "review")
        self.assertTrue(self.merge(graph, "--delete-branch")["source_deleted"])
        good("branch", "create", graph, "review")
        commit(graph, 11, "review")
        good("branch", "delete", graph, "review")
        self.assertEqual(run("branch", "merge", graph, "review", "--delete-branch").code, 3, "it was never merged")

    def test_changes_to_the_same_end_are_no_conflict(self):
        graph = self.graph()
        for branch in ("main", "review"):
            commit(graph, 20, branch)
        commit(graph, 11, "review", 2, "node:B")
        self.assertEqual(self.merge(graph)["outcome"], "merged")
        self.assertEqual(self.versions(graph), [20, 11])

    def test_lineage_of_no_commit_is_refused(self):
        graph = self.graph()
        commit(graph, 10, "review")
        newest_id = {branch: newest(graph, branch)["commit_id"] for branch in ("main", "review")}

        def code_of(commit_id, **place):
            lineage = {"kind": "merge", "source_stream": None, "source_seq": None, **place,
                       "merged_parent_commit_id": commit_id}
            intent = {"pins": [], "registrations": [], "tombstones": [], "renames": [], "lineage": lineage}
            return run("commit", "create", graph, "--file", "-", text=json.dumps(intent)).code

        self.assertEqual(code_of(newest_id["main"]), 2)
        self.assertEqual(code_of(newest_id["review"], source_stream="main", source_seq=9), 2)
        self.assertEqual(code_of(newest_id["review"], source_stream="no.01ARZ3NDEKTSV4RRFFQ69G5FAV", source_seq=3), 4)
        self.assertEqual(code_of("01ARZ3NDEKTSV4RRFFQ69G5FAV"), 4)
        self.assertEqual(newest(graph, "main")["seq"], 2)
        self.assertEqual(code_of(newest_id["review"]), 0)
        self.assertEqual(good("commit", "show", graph, "3", "--json").json()["lineage"]["source_seq"], 3)

    def test_wrong_branches(self):
        graph = self.graph()
        self.assertEqual(run("branch", "merge", graph, "main").code, 2)
        self.assertEqual(run("branch", "merge", graph, "main", "--into", "review", "--delete-branch").code, 2)
        self.assertEqual(run("branch", "merge", graph, "never").code, 3)
        self.assertEqual(run("branch", "merge", graph, "review", "--into", "never").code, 3)

    def test_merges_at_once_all_arrive(self):
        graph = small_graph()
        for table in range(2, 7):
            good("commit", "create", graph, "--file", "-", text=first_version(table, f"node:{table}"))
        for table in range(2, 7):
            good("branch", "create", graph, f"work/{table}")
            commit(graph, 10 + table, f"work/{table}", table, f"node:{table}")
        with concurrent.futures.ThreadPoolExecutor(5) as many:
            list(many.map(lambda table: good("branch", "merge", graph, f"work/{table}"), range(2, 7)))
        self.assertEqual(self.versions(graph), [1, *range(12, 17)])


def use(chosen):
    global store
    store = chosen


if __name__ == "__main__":
    sys.exit(harness.main("branch_test", use))
