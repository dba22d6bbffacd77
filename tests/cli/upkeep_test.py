#!/usr/bin/env python3
"""cleanup, verify and repair, run as a user types them: upkeep_test.py PROGRAM file|s3|azure [unittest options]."""
import json
import os
import sys
import tempfile
import unittest

import harness
from harness import good, next_version, run, small_graph

store = None
quiesced = ("--confirm", "--quiesced")


def pruned_error(test, graph, seq):
    answer = run("snapshot", graph, "--at", seq, "--json")
    test.assertEqual(answer.error()["code"], "pruned", seq)


class Cleanup(unittest.TestCase):
    def test_thousand_records_keep_ten(self):
        graph = store.fresh()
        good("demo", graph, "--commits", 1000, "--tables", 12)
        states = {seq: good("snapshot", graph, "--at", seq, "--json").json() for seq in (950, 951, 999, 1000)}
        before = good("cleanup", graph, "--keep", 10, "--json").json()
        self.assertFalse(before["confirmed"])
        good("snapshot", graph, "--at", 1)

        with tempfile.TemporaryDirectory() as folder:
            roots = os.path.join(folder, "roots.jsonl")
            done = good("cleanup", graph, "--keep", 10, *quiesced, "--roots", roots, "--json").json()
            with open(roots) as lines:
                named = [json.loads(line) for line in lines]
        (main,) = done["streams"]
        self.assertEqual((main["floor"], main["records"], done["due"]), (950, 950, None))
        for seq in (1, 437, 948, 949):
            pruned_error(self, graph, seq)
        for seq in range(950, 1001):
            good("snapshot", graph, "--at", seq, "--quiet")
        for seq, state in states.items():
            now = good("snapshot", graph, "--at", seq, "--json").json()
            self.assertEqual(harness.state_of(now), harness.state_of(state), seq)
        kept = {(each["stable_table_id"], each["incarnation"], each["target_version"]) for each in named}
        for state in states.values():
            for head in state["tables"]:
                if head["pin"]:
                    self.assertIn((head["stable_table_id"], head["incarnation"], head["pin"]["target_version"]), kept)
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])

    def test_fresh_records_stay_without_quiesced(self):
        graph = small_graph()
        good("cleanup", graph, "--keep", 1, "--confirm")
        good("snapshot", graph, "--at", 1)

    def test_wrong_words_are_usage_errors(self):
        for wrong in (("--keep", "0"), ("--keep", "-1"), ("--older-than", "soon"), ("--older-than", "7x")):
            self.assertEqual(run("cleanup", "/nowhere", *wrong).code, 2, wrong)

    def test_missing_graph_is_not_found(self):
        for verb in ("cleanup", "verify", "repair"):
            self.assertEqual(run(verb, store.fresh()).code, 3, verb)


class Verify(unittest.TestCase):
    def test_sound_graph(self):
        graph = small_graph()
        answer = good("verify", graph, "--json").json()
        self.assertEqual((answer["corrupt"], answer["findings"], answer["records"]), (False, [], 1))
        self.assertIn("0 findings", good("verify", graph).out)


class Damage:
    """Objects damaged by hand, which only a folder allows: `use` makes it a test case there."""

    def test_damage_is_named_and_repaired(self):
        graph = small_graph()
        for version in range(2, 53):
            good("commit", "create", graph, "--file", "-", text=next_version(1, "node:A", version))
        place = os.path.join(graph.removeprefix("file://"), "_graph", "main")
        checkpoint = os.path.join(place, "checkpoints", f"{50:020}.json")
        right = self.content(checkpoint)
        for path, kind in ((checkpoint, "checkpoint_torn"), (os.path.join(place, "latest.json"), "hint_garbage")):
            with open(path, "w") as out:
                out.write("{")
            answer = run("verify", graph, "--json")
            self.assertEqual((answer.code, [each["finding"] for each in answer.json()["findings"]]), (6, [kind]))
            self.assertEqual(run("repair", graph).code, 6)
            (step,) = good("repair", graph, "--confirm", "--json").json()["steps"]
            self.assertEqual((step["outcome"], step["finding"]), ("written", kind))
            self.assertEqual(good("verify", graph, "--json").json()["findings"], [])
        self.assertEqual(self.content(checkpoint), right)

    def content(self, path):
        with open(path) as text:
            return text.read()


def use(chosen):
    global store
    store = chosen
    if store.name == "file":
        globals()["DamagedFiles"] = type("DamagedFiles", (Damage, unittest.TestCase), {"__module__": __name__})


if __name__ == "__main__":
    sys.exit(harness.main("upkeep_test", use))
