#!/usr/bin/env python3
"""What each verb's --help promises, held against what the program does: flags, exit codes, and the JSON that it prints.
answers_test.py PROGRAM file|s3|azure [unittest options].
"""
import json
import os
import re
import sys
import tempfile
import unittest

import harness
from harness import first_version, good, next_version, run, small_graph

store = None


# --- the shapes of a help text ---------------------------------------------------------------------------------------

class Shapes:
    """Reads `{"seq":N,"commit_id":S|null,"tables":[HEAD],"degraded"?:B,…}` and the shapes that it names."""

    token = re.compile(r'"\w+"|\w+|[{}\[\]:,|?…]')

    def __init__(self, text):
        self.named = dict(re.findall(r"^where ([A-Z]+) is (.*?)(?=[,.]\nwhere |\.\n)", text, re.S | re.M))
        main = re.search(r"^With --json,?(?: lines of)? (.*?)(?=,\nwhere |\.\n)", text, re.S | re.M).group(1)
        self.main = re.split(r"\s+and (?:after each page|in the file of --roots) ", main)

    def check(self, shape, value):
        """Raises AssertionError unless `value` is as `shape` says."""
        self.words = self.token.findall(shape)
        tree = self.read_value()
        if self.words:
            raise AssertionError(f"not understood: {self.words[:5]} in {shape}")
        self.compare(tree, value, "$")

    def take(self, *expected):
        word = self.words.pop(0)
        if expected and word not in expected:
            raise AssertionError(f"{word} where {expected} should stand")
        return word

    def read_value(self):
        either = [self.read_one()]
        while self.words and self.words[0] == "|":
            self.take()
            either.append(self.read_one())
        return either

    def read_one(self):
        word = self.take()
        if word == "{":
            return self.read_members("}")
        if word == "[":
            inner = self.read_value()
            self.take("]")
            return [inner]
        if word in self.named:
            rest, self.words = self.words, self.token.findall(self.named[word])
            (inner,) = self.read_value()
            self.words = rest
            return inner
        if word not in ("S", "N", "F", "B", "null"):
            raise AssertionError(f"no shape: {word}")
        return word

    def read_members(self, end):
        members = {}
        while self.words and self.words[0] != end:
            word = self.take()
            if word == "…":
                members[word] = None
            elif word in self.named:
                rest, self.words = self.words, self.token.findall(self.named[word])
                members.update(self.read_members(None))
                self.words = rest
            else:
                optional = self.words[0] == "?" and bool(self.take())
                self.take(":")
                members[word.strip('"')] = (optional, self.read_value())
            if self.words and self.words[0] == ",":
                self.take()
        if end:
            self.take(end)
        return members

    def compare(self, either, value, path):
        reasons = []
        for one in either:
            try:
                return self.compare_one(one, value, path)
            except AssertionError as wrong:
                reasons.append(str(wrong))
        raise AssertionError("; ".join(reasons))

    def compare_one(self, one, value, path):
        kinds = {"S": str, "N": int, "F": (int, float), "B": bool, "null": type(None)}
        if isinstance(one, str):
            if not isinstance(value, kinds[one]) or (one != "B" and isinstance(value, bool)):
                raise AssertionError(f"{path} is {value!r}, not {one}")
        elif isinstance(one, list):
            if not isinstance(value, list):
                raise AssertionError(f"{path} is no list")
            for number, each in enumerate(value):
                self.compare(one[0], each, f"{path}[{number}]")
        else:
            self.compare_members(one, value, path)

    def compare_members(self, one, value, path):
        if not isinstance(value, dict):
            raise AssertionError(f"{path} is no object")
        missing = [name for name, how in one.items() if how and not how[0] and name not in value]
        surplus = [name for name in value if name not in one and "…" not in one]
        if missing or surplus:
            raise AssertionError(f"{path}: missing {missing}, not in the help: {surplus}")
        for name, how in one.items():
            if how and name in value:
                self.compare(how[1], value[name], f"{path}.{name}")
        order = [name for name in value if name in one]
        if order != [name for name in one if name in value]:
            raise AssertionError(f"{path}: another order than the help's: {order}")


def help_of(*verb):
    return good(*verb, "--help").out


def verbs():
    """Every verb there is, as the help lists them."""
    out = []
    for name in subcommands(help_of()):
        below = subcommands(help_of(name))
        out += [(name, each) for each in below] or [(name,)]
    return out


def subcommands(text):
    listed = text.partition("Subcommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.M)


class Help(unittest.TestCase):
    def test_each_says_flags_and_exit_codes(self):
        known = {("commit", "create"), ("heads", "list"), ("branch", "merge"), ("changes", "poll"), ("cleanup",), ("bench",)}
        found = verbs()
        self.assertLessEqual(known, set(found))
        self.assertNotIn(("serve",), found)
        for verb in found:
            with self.subTest(verb=verb):
                text = help_of(*verb)
                self.assertIn("Usage: headwater " + " ".join(verb), text)
                for code in range(7):
                    self.assertRegex(text, rf"[:,\n] ?{code} [a-z]")
                self.assertIn("--json", text)
                if verb != ("version",):
                    self.assertIn("--cost", text)
                    self.assertIn("--quiet", text)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 132, line)

    def test_words_that_no_verb_takes(self):
        for verb in verbs():
            with self.subTest(verb=verb):
                unknown = run(*verb, "somewhere", "--colour")
                self.assertEqual((unknown.code, unknown.out), (2, ""))
                self.assertRegex(unknown.err, r"\Aheadwater: [^\n]+; see headwater " + " ".join(verb) + r" --help\n\Z")
                if verb != ("version",):
                    self.assertEqual(run(*verb).code, 2)
                    self.assertEqual(run(*verb, "--json").error()["code"], "usage")
        for group in ("commit", "heads", "changes", "branch"):
            self.assertIn("a verb is missing", run(group).err)
            self.assertIn("there is no verb frobnicate", run(group, "frobnicate").err)


class Answers(unittest.TestCase):
    def samples(self):
        """Each verb with words that give an answer; those that change the graph in an order that works."""
        graph = small_graph()
        made = good("commit", "create", graph, "--file", "-", "--json", text=self.schema_intent()).json()
        good("branch", "create", graph, "review")
        good("commit", "create", graph, "--branch", "review", "--file", "-", text=next_version(1, "node:A", 7))
        good("commit", "create", graph, "--branch", "review", "--file", "-", text=first_version(3, "node:C"))
        token = f"2.{made['commit_id']}.{64 * '0'}.main"
        return {
            ("init",): (store.fresh(),), ("demo",): (store.fresh(), "--commits", 3),
            ("commit", "create"): (graph, "--file", "-"), ("commit", "import"): (graph, "--file", "-"),
            ("commit", "list"): (graph,), ("commit", "show"): (graph, 2), ("snapshot",): (graph,),
            ("diff",): (graph, 0, 2), ("heads", "list"): (graph,), ("heads", "show"): (graph, "node:B"),
            ("heads", "verify"): (graph, "--expect", "-"), ("resolve",): (graph, token),
            ("changes", "poll"): (graph, "--start", "beginning"), ("branch", "create"): (graph, "other"),
            ("branch", "list"): (graph,), ("branch", "merge"): (graph, "review"), ("branch", "delete"): (graph, "other"),
            ("cleanup",): (graph, "--keep", 1), ("verify",): (graph, "--deep"), ("repair",): (graph,),
            ("presign",): (graph, "key"), ("probe",): (graph,), ("conform",): (store.fresh(), "--race-rounds", 1),
            ("bench",): (store.fresh(), "--rounds", 2), ("version",): ()}

    def schema_intent(self):
        intent = {**json.loads(first_version(2, "node:B")), "actor": "act-x", "idempotency_key": "once",
                  "schema": {"identity_domain": "d", "ir_hash": "i", "identity_version": 1, "content_hash": "c"}}
        intent["pins"][0].update(metadata={"rows": 1}, table_branch="b", schema_hash="h")
        return json.dumps(intent)

    inputs = {("commit", "create"): '{"pins":[]}', ("commit", "import"): '{"pins":[]}\n{"pins":[]}',
              ("heads", "verify"): '[{"stable_table_id":99,"incarnation":1}]'}

    def test_each_is_as_its_help_says(self):
        samples = self.samples()
        self.assertEqual(set(samples), set(verbs()))
        for verb, words in samples.items():
            with self.subTest(verb=verb):
                if verb == ("presign",) and store.name == "file":
                    continue
                shapes = Shapes(help_of(*verb))
                answer = run(*verb, *words, "--json", text=self.inputs.get(verb))
                self.assertIn(answer.code, (0, 4), answer.err)
                documents = answer.lines()
                self.assertTrue(documents)
                for each in documents:
                    is_last_of_page = verb == ("changes", "poll") and each is documents[-1]
                    shapes.check(shapes.main[1 if is_last_of_page else 0], each)

    def test_roots_are_as_the_help_says(self):
        shapes = Shapes(help_of("cleanup"))
        graph = small_graph()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "roots")
            good("cleanup", graph, "--keep", 1, "--roots", path)
            with open(path) as lines:
                for line in lines:
                    shapes.check(shapes.main[1], json.loads(line))

    def test_errors_are_objects_with_code_and_message(self):
        for words in (("snapshot", store.fresh()), ("snapshot",), ("commit", "create", small_graph(), "--file", "/none")):
            answer = run(*words, "--json")
            self.assertEqual(list(answer.error())[:2], ["code", "message"])
            self.assertEqual((list(json.loads(answer.err)), answer.out), (["error"], ""))


class ShapesThemselves(unittest.TestCase):
    """The check can fail."""

    text = 'With --json {"a":N,"b"?:S|null,"c":[POINT]},\nwhere POINT is {"x":F,LIFE,…},\nwhere LIFE is "alive":B.\nS is\n'

    def test_wrong_documents_are_found(self):
        shapes = Shapes(self.text)
        (main,) = shapes.main
        point = {"x": 1.5, "alive": True}
        for right in ({"a": 1, "c": []}, {"a": 1, "b": None, "c": [point]}, {"a": 1, "c": [{**point, "more": 1}]}):
            shapes.check(main, right)
        for wrong in ({"a": "1", "c": []}, {"a": True, "c": []}, {"a": 1}, {"a": 1, "c": [], "d": 1}, {"c": [], "a": 1},
                      {"a": 1, "c": [{"x": 1}]}, {"a": 1, "c": [{"x": 1, "alive": 1}]}, {"a": 1, "b": 2, "c": []}, []):
            with self.assertRaises(AssertionError, msg=wrong):
                shapes.check(main, wrong)


def use(chosen):
    global store
    store = chosen


if __name__ == "__main__":
    sys.exit(harness.main("answers_test", use))
