#!/usr/bin/env python3
"""kill -9 of every verb that writes, at random moments: what is left is sound, and the next command succeeds.
kill_test.py PROGRAM file|s3|azure [unittest options]; HEADWATER_TEST_KILLS sets how many kills a verb gets.
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import first_version, good, next_version, run, small_graph

store = None
kills = int(os.environ.get("HEADWATER_TEST_KILLS", "6"))
kills_per_graph = 25  # A graph that grew long takes long to verify.
seed = int(os.environ.get("HEADWATER_TEST_SEED") or time.time_ns())
quiesced = ("--confirm", "--quiesced")


def commit(graph, version, *more):
    good("commit", "create", graph, "--file", "-", *more, text=next_version(1, "node:A", version))


def newest(graph, *more):
    return good("snapshot", graph, "--json", *more).json()


class Killed(unittest.TestCase):
    def setUp(self):
        self.chance = random.Random(seed)
        self.version = itertools.count(2)

    def kill(self, after, *words, text=None):
        with tempfile.TemporaryFile("w+") as given:
            given.write(text or "")
            given.seek(0)
            with subprocess.Popen([harness.program, *map(str, words)], stdin=given, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env=harness.environment()) as running:
                try:
                    running.wait(after)
                except subprocess.TimeoutExpired:
                    running.kill()

    def over_and_over(self, prepare, one, make=small_graph):
        """`prepare(graph)` answers the words to run and their input; `one(graph, words, text)` is what must work after
        each kill."""
        lasted = None
        for number in range(kills):
            if number % kills_per_graph == 0:
                graph = make()
                words, text = prepare(graph)
                began = time.monotonic()
                good(*words, text=text)
                lasted = time.monotonic() - began
                one(graph, words, text)
            words, text = prepare(graph)
            after = self.chance.uniform(0, 1.2 * lasted)
            with self.subTest(seed=seed, kill=number, after=after, words=words):
                self.kill(after, *words, text=text)
                left = run("verify", graph, "--deep", "--json")
                self.assertEqual(left.code, 0, left.out + left.err)
                one(graph, words, text)

    def test_init(self):
        for _ in range(kills):
            graph = store.fresh()
            self.kill(self.chance.uniform(0, 0.3), "init", graph)
            self.assertIn(run("init", graph).code, (0, 4))
            good("commit", "create", graph, "--file", "-", text=first_version(1, "node:A"))

    def test_commit_create(self):
        def prepare(graph):
            return ("commit", "create", graph, "--file", "-"), next_version(1, "node:A", next(self.version))

        def one(graph, words, text):
            before = newest(graph)["seq"]
            commit(graph, next(self.version))
            self.assertEqual(newest(graph)["seq"], before + 1)

        self.over_and_over(prepare, one)

    def test_commit_import(self):
        def prepare(graph):
            lines = [next_version(1, "node:A", next(self.version)) for _ in range(20)]
            return ("commit", "import", graph, "--file", "-"), "\n".join(lines)

        def one(graph, words, text):
            before = newest(graph)["seq"]
            commit(graph, next(self.version))
            self.assertEqual(newest(graph)["seq"], before + 1)

        self.over_and_over(prepare, one)

    def test_branch_create(self):
        number = itertools.count()

        def prepare(graph):
            return ("branch", "create", graph, f"b/{next(number)}"), None

        def one(graph, words, text):
            made = words[-1]
            listed = [each["branch"] for each in good("branch", "list", graph, "--json").json()["branches"]]
            if made in listed:
                commit(graph, next(self.version), "--branch", made)
            good("branch", "create", graph, f"next/{next(number)}")

        self.over_and_over(prepare, one)

    def test_branch_delete(self):
        number = itertools.count()

        def prepare(graph):
            name = f"b/{next(number)}"
            good("branch", "create", graph, name)
            return ("branch", "delete", graph, name), None

        def one(graph, words, text):
            self.assertIn(run(*words).code, (0, 3))
            self.assertEqual(run("snapshot", graph, "--branch", words[-1]).code, 3)
            good("branch", "create", graph, words[-1])

        self.over_and_over(prepare, one)

    def test_branch_merge(self):
        good_keys = itertools.count(2)

        def prepare(graph):
            table = next(good_keys)
            name = f"b/{table}"
            good("branch", "create", graph, name)
            intent = first_version(table, f"node:T{table}")
            good("commit", "create", graph, "--branch", name, "--file", "-", text=intent)
            return ("branch", "merge", graph, name, "--delete-branch"), None

        def one(graph, words, text):
            # Merged or not, and the branch deleted or not: it is afterwards.
            good(*words)
            table = int(words[3].removeprefix("b/"))
            self.assertIn(table, [each["stable_table_id"] for each in newest(graph)["tables"]])

        self.over_and_over(prepare, one)

    def test_cleanup(self):
        def prepare(graph):
            lines = [next_version(1, "node:A", next(self.version)) for _ in range(120)]
            good("commit", "import", graph, "--file", "-", text="\n".join(lines))
            return ("cleanup", graph, "--keep", 10, *quiesced), None

        def one(graph, words, text):
            before = harness.state_of(newest(graph))
            good(*words)
            self.assertEqual(harness.state_of(newest(graph)), before)

        self.over_and_over(prepare, one)

    def test_repair(self):
        def prepare(graph):
            commit(graph, next(self.version))
            return ("repair", graph, "--confirm"), None

        def one(graph, words, text):
            good(*words)
            commit(graph, next(self.version))

        self.over_and_over(prepare, one)


def use(chosen):
    global store
    store = chosen
    print(f"kill_test: HEADWATER_TEST_SEED={seed}, {kills} kills a verb", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(harness.main("kill_test", use))
