#!/usr/bin/env python3
"""What the system, the shell and careless hands do to the command line: full disks, low limits, readers that leave, inputs
that are no intents: edges_test.py PROGRAM file|s3|azure [unittest options]. HEADWATER_TEST_MUTATIONS sets how many damaged
intents are tried.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import harness
import objects
from harness import environment, first_version, good, next_version, patience, pin, registration, run, small_graph, start

store = None
mutations = int(os.environ.get("HEADWATER_TEST_MUTATIONS", "120"))
seed = int(os.environ.get("HEADWATER_TEST_SEED") or time.time_ns())


def limited(limit, *words, text=None):
    """The program under a limit of the shell: `-n 4`, `-f 0`; answers its exit code, stdout and stderr."""
    shell = ["sh", "-c", f'ulimit {limit} || exit 99; exec "$@"', "sh", harness.program, *map(str, words)]
    done = subprocess.run(shell, input=text, capture_output=True, text=True, env=environment(), timeout=patience)
    return done.returncode, done.stdout, done.stderr


def newest(graph, *more):
    return good("snapshot", graph, "--json", *more).json()


class Told(unittest.TestCase):
    def check_told(self, err, exact):
        """One line that can be acted on, or one JSON object."""
        self.assertEqual(err.count("\n"), 1, err)
        if exact:
            self.assertTrue(json.loads(err)["error"]["message"], err)
        else:
            self.assertRegex(err, r"\Aheadwater: [^\n]+\n\Z")


class Output(Told):
    def test_full_disk_is_told_whatever_was_asked(self):
        graph = small_graph()
        asked = (("--help",), ("snapshot", "--help"), ("--version",), ("version",), ("snapshot", graph),
                 ("commit", "list", graph), ("heads", "list", graph), ("verify", graph), ("changes", "poll", graph))
        for words in asked:
            for exact in ((), ("--json",)):
                with self.subTest(words=words + exact), open("/dev/full", "w") as full:
                    answer = run(*words, *exact, stdout=full)
                    self.assertEqual(answer.code, 1)
                    self.check_told(answer.err, exact)
                    self.assertIn("No space left", answer.err)

    def test_what_happened_all_the_same_is_told(self):
        graph = small_graph()
        with open("/dev/full", "w") as full:
            self.assertIn("the graph was made", run("init", store.fresh(), stdout=full).err)
            self.assertIn("the branch was made", run("branch", "create", graph, "review", stdout=full).err)
            self.assertIn("already_up_to_date", run("branch", "merge", graph, "review", stdout=full).err)
            self.assertIn("the branch was deleted", run("branch", "delete", graph, "review", stdout=full).err)
            self.assertIn("the cleanup was done", run("cleanup", graph, "--keep", 1, "--confirm", stdout=full).err)
            lines = next_version(1, "node:A", 2) + "\n" + next_version(1, "node:A", 3)
            self.assertIn("2 commits, seq 2 to 3 were published",
                          run("commit", "import", graph, "--file", "-", text=lines, stdout=full).err)

    def test_reader_that_leaves_hears_no_complaint(self):
        graph = small_graph()
        for words in (("snapshot", graph), ("commit", "list", graph, "--json"), ("--help",)):
            shell = 'exec 3>&1; ("$@" 2>&3; echo "code $?" >&3) | true'
            done = subprocess.run(["sh", "-c", shell, "sh", harness.program, *words], capture_output=True, text=True,
                                  env=environment(), timeout=patience)
            # It may have been done before the reader left.
            self.assertRegex(done.stdout, r"\Acode [01]\n\Z", words)
        with start("commit", "create", graph, "--file", "-", stdin=subprocess.PIPE) as making:
            making.stdout.close()
            making.stdin.write(next_version(1, "node:A", 2))
            making.stdin.close()
            err = making.stderr.read()
            self.assertEqual(making.wait(patience), 1)
        self.assertRegex(err, "seq 2, commit [0-9A-Z]{26} was published all the same")

    def test_files_limit_on_stdout_is_an_error(self):
        graph = small_graph()
        with tempfile.TemporaryFile("w+") as out:
            # The limit of 0 blocks is the file's, and stderr is a pipe.
            done = subprocess.run(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", harness.program, "snapshot", graph, "--json"],
                                  stdout=out, stderr=subprocess.PIPE, text=True, env=environment(), timeout=patience)
        self.assertEqual(done.returncode, 1)
        self.check_told(done.stderr, True)
        self.assertIn("File too large", done.stderr)


class Limits(Told):
    def test_few_files_are_told_not_thrown(self):
        graph = small_graph()
        for files in range(4, 14):
            for exact in ((), ("--json",)):
                fresh = store.fresh()
                for words in (("snapshot", graph), ("commit", "list", graph), ("init", fresh)):
                    with self.subTest(files=files, words=words + exact):
                        code, _, err = limited(f"-n {files}", *words, *exact)
                        if code == 127:
                            continue  # The loader itself had too few.
                        self.assertIn(code, (0, 1), err)
                        if code == 1:
                            self.check_told(err, exact)

    def test_little_memory_is_told_not_thrown(self):
        graph = small_graph()
        intent = json.dumps({"pins": [], "actor": 4_000_000 * "a"})
        told = 0
        for kilobytes in range(36_000, 80_000, 4_000):
            for exact in ((), ("--json",)):
                if limited(f"-v {kilobytes}", "version")[0] != 0:
                    continue  # Not even that, or a build that cannot be limited so.
                code, _, err = limited(f"-v {kilobytes}", "commit", "create", graph, "--file", "-", *exact, text=intent)
                with self.subTest(kilobytes=kilobytes, exact=exact):
                    self.assertIn(code, (0, 1), err)
                    if code == 1:
                        self.check_told(err, exact)
                        told += "out_of_memory" in err
        print(f"out of memory was told {told} times", file=sys.stderr)
        self.assertEqual(run("verify", graph).code, 0)


class Written:
    """Limits on what is written, which only a folder feels: `use` makes it a test case there."""

    def test_small_files_are_told_not_fatal(self):
        for exact in ((), ("--json",)):
            graph = store.fresh()
            code, _, err = limited("-f 0", "init", graph, *exact)
            self.assertEqual(code, 1, err)
            self.check_told(err, exact)
        graph = small_graph()
        intent = json.dumps({"pins": [], "actor": 100_000 * "a"})
        code, _, err = limited("-f 8", "commit", "create", graph, "--file", "-", "--json", text=intent)
        self.assertEqual(code, 1, err)
        self.check_told(err, True)
        self.assertEqual(newest(graph)["seq"], 1)
        self.assertEqual(good("verify", graph, "--json").json()["findings"], [])

    def test_unwritable_and_impossible_places_are_told(self):
        with tempfile.NamedTemporaryFile() as file:
            places = (file.name, file.name + "/below", "/proc/headwater", "/dev/null/x", "/" + 300 * "n", "file://host/x")
            for place in places:
                for words in (("init", place), ("snapshot", place), ("commit", "create", place, "--file", "/dev/null")):
                    with self.subTest(words=words):
                        answer = run(*words, "--json")
                        self.assertIn(answer.code, (1, 2, 3), answer.err)
                        self.check_told(answer.err, True)


    def test_warnings_have_the_form_of_the_answer(self):
        graph = small_graph()
        hint = os.path.join(graph.removeprefix("file://"), "_graph/main/latest.json")
        os.remove(hint)
        os.mkdir(hint)
        answer = good("commit", "create", graph, "--file", "-", "--json", text=next_version(1, "node:A", 2))
        self.assertIn("the commit stands", json.loads(answer.err)["warning"]["message"])
        answer = good("commit", "create", graph, "--file", "-", text=next_version(1, "node:A", 3))
        self.assertRegex(answer.err, r"\Aheadwater: warning: [^\n]*the commit stands[^\n]*\n\Z")

    def test_relative_path_without_a_working_directory_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            gone = os.path.join(folder, "gone")
            os.mkdir(gone)
            shell = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
            done = subprocess.run(["sh", "-c", shell, "sh", gone, harness.program, "snapshot", "here"], text=True,
                                  capture_output=True, env=environment(), timeout=patience)
            self.assertEqual(done.returncode, 1)
            self.check_told(done.stderr, ())
            self.assertIn("the path here is relative", done.stderr)

    def test_zero_byte_opens_no_other_graph(self):
        graph = small_graph()
        for words in (("snapshot", graph + "%00"), ("snapshot", graph + "%00x"), ("init", store.fresh() + "%00")):
            answer = run(*words, "--json")
            self.assertEqual(answer.code, 2, answer.out + answer.err)
            self.check_told(answer.err, True)

    def test_link_that_leads_nowhere_is_told_at_once(self):
        graph = store.fresh()
        os.symlink("/nonexistent/place", graph.removeprefix("file://"))
        self.assertEqual(run("snapshot", graph).code, 3)
        begun = time.monotonic()
        answer = run("init", graph, "--json")
        self.assertEqual(answer.code, 1)
        self.check_told(answer.err, True)
        self.assertEqual(answer.error()["code"], "configuration")
        self.assertLess(time.monotonic() - begun, 10)


class Words(Told):
    def test_a_number_alone_is_no_length_of_time(self):
        graph = small_graph()
        for wrong in ("7", "0", "7ms", "7 d", "d", "1.5d", "-1d"):
            self.assertEqual(run("cleanup", graph, f"--older-than={wrong}").code, 2, wrong)
            self.assertEqual(run("presign", graph, "key", f"--expires={wrong}").code, 2, wrong)

    def test_a_misspelt_place_is_a_usage_error(self):
        settings = {"AZURE_STORAGE_ACCOUNT_NAME": "acct", "AZURE_STORAGE_ACCOUNT_KEY": "aGlk", "AWS_REGION": "r",
                    "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"}
        for place in ("az://c//x", "az://UPPER_/x", "az://ok/a\\b", "s3://b//x", "s3://b%/x"):
            answer = run("snapshot", place, settings=settings)
            self.assertEqual(answer.code, 2, place)
            self.check_told(answer.err, ())

    def test_a_token_without_its_graph_is_told_so(self):
        token = "1.01ARZ3NDEKTSV4RRFFQ69G5FAV." + "0" * 64 + ".main"
        answer = run("resolve", store.fresh(), token)
        self.assertEqual(answer.code, 3)
        self.assertIn("there is no graph in", answer.err)
        self.assertIn("no stream", run("resolve", small_graph(), token.replace(".main", ".x." + token[2:28])).err)

    def test_one_long_name_is_not_paid_for_in_each_row(self):
        graph = store.fresh()
        good("init", graph)
        rows = [registration(table, f"t{table}") for table in range(1, 501)] + [registration(501, "k" * 100_000)]
        good("commit", "create", graph, "--file", "-", text=json.dumps({"pins": [], "registrations": rows}))
        for words in (("snapshot", graph), ("heads", "list", graph), ("diff", graph, 0, 1)):
            out = good(*words).out
            self.assertIn("k" * 100_000, out)
            self.assertLess(len(out), 300_000, words)


class Oversized(Told):
    def test_what_is_larger_than_its_format_lets_it_be_is_corrupt(self):
        graph = small_graph()
        good("commit", "create", graph, "--file", "-", text=next_version(1, "node:A", 2))
        stream = good("branch", "create", graph, "side", "--json").json()["stream"]
        good("branch", "create", graph, "old")
        good("branch", "delete", graph, "old")
        lies = objects.of(store, graph)
        rows = ((f"_graph/streams/{stream}.json", 65, "max_metadata_bytes",
                 (("branch", "list", graph), ("snapshot", graph, "--branch", "side"))),
                ("_graph/names/side.json", 65, "max_metadata_bytes", (("snapshot", graph, "--branch", "side"),)),
                (f"_graph/main/{2**64 - 3}.commit", 16_385, "max_record_bytes",
                 (("snapshot", graph), ("commit", "show", graph, 2))),
                ("_graph/format.json", 65, "max_metadata_bytes", (("snapshot", graph), ("branch", "list", graph))))
        for key, kilobytes, limit, commands in rows:
            right = lies.get(key)
            lies.put(key, right + b" " * (kilobytes << 10))
            for words in commands:
                answer = run(*words)
                self.assertEqual(answer.code, 6, (key, words, answer.err))
                self.assertIn(key, answer.err)
                self.assertIn(limit, answer.err)
            lies.put(key, right)
        lies.put("_graph/main/latest.json", b" " * 5000)
        self.assertEqual(newest(graph)["seq"], 2)


class Branch(Told):
    def test_demo_writes_on_the_branch_it_is_told(self):
        graph = store.fresh()
        made = good("demo", graph, "--branch", "foo", "--commits", 3, "--tables", 4, "--json").json()
        self.assertEqual((made["seq"], newest(graph, "--branch", "foo")["commit_id"]), (3, made["commit_id"]))
        self.assertEqual(newest(graph)["seq"], 0)
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])

    def test_wrong_branch_writes_nothing(self):
        for words in (("demo", "--branch", "a//b"), ("demo", "--branch="), ("init", "--branch", "foo")):
            graph = store.fresh()
            answer = run(words[0], graph, *words[1:])
            self.assertEqual(answer.code, 2, words)
            self.check_told(answer.err, False)
            self.assertEqual(run("snapshot", graph).code, 3, words)

    def test_what_prunes_the_whole_graph_takes_no_branch(self):
        for verb in ("cleanup", "repair", "verify"):
            answer = run(verb, small_graph(), "--branch", "review")
            self.assertEqual(answer.code, 2, verb)
            self.assertIn("--branch review", answer.err)


class Bench(Told):
    def test_times_each_request_and_leaves_nothing(self):
        place = store.fresh()
        told = good("bench", place, "--rounds", 5, "--size", 100, "--json").json()
        names = [each["operation"] for each in told["operations"]]
        self.assertEqual(names, ["create", "create_taken", "put", "get", "get_absent", "list", "remove"])
        for each in told["operations"]:
            self.assertEqual(each["count"], 5)
            self.assertTrue(0 < each["p50_ms"] <= each["p90_ms"] <= each["p99_ms"] <= each["max_ms"], each)
        self.assertEqual((told["rounds"], told["left_behind"], told["cost"]["bytes_read"]), (5, 0, 500))
        if store.name == "file":
            self.assertFalse(os.path.exists(place.removeprefix("file://")), "not even an empty folder")
        self.assertRegex(good("bench", place, "--rounds", 2).out, r"REQUEST +P50 MS.*\ncreate +\d+\.\d\d ")
        self.assertEqual(good("bench", place, "--rounds", 1, "--size", 0, "--json").json()["left_behind"], 0)

    def test_place_that_is_none_is_told_before_anything_is_written(self):
        answer = run("bench", getattr(store, "missing_place", "/dev/null/x"), "--json")
        self.assertEqual((answer.code, answer.out), (1, ""))
        self.check_told(answer.err, True)

    def test_serve_does_not_pretend(self):
        answer = run("serve", store.fresh(), "--port", 80)
        self.assertEqual((answer.code, answer.out), (2, ""))
        self.assertIn("not available in this version", answer.err)


class Roots(unittest.TestCase):
    def test_stdout_has_the_answer(self):
        graph = small_graph()
        with tempfile.TemporaryDirectory() as folder:
            for words in (("cleanup", graph, "--roots", "-"), ("cleanup", graph, "--roots", ""),
                          ("conform", graph, "--junit", "-")):
                answer = run(*words, cwd=folder)
                self.assertEqual((answer.code, answer.out), (2, ""), words)
                self.assertIn("name a file", answer.err)
            self.assertEqual(os.listdir(folder), [])
            good("cleanup", graph, "--roots", "./-", cwd=folder)
            self.assertEqual(os.listdir(folder), ["-"])


class Intents(Told):
    @classmethod
    def setUpClass(cls):
        cls.graph = small_graph()

    def create(self, text, *more):
        return run("commit", "create", self.graph, "--file", "-", "--json", *more, text=text)

    def refused(self, text, why):
        answer = self.create(text)
        self.assertEqual((answer.code, answer.out), (2, ""), answer.err)
        self.check_told(answer.err, True)
        self.assertIn(why, answer.error()["message"])

    def test_empty_names_are_refused(self):
        named = registration(7, "node:G")
        owned = {**pin(1, "node:A", 2), "table_branch": ""}
        rows = [({"renames": [{"stable_table_id": 1, "incarnation": 1, "from": "node:A", "to": ""}]}, "$.renames[0].to"),
                ({"registrations": [{**named, "table_key": ""}]}, "$.registrations[0].table_key"),
                ({"registrations": [{**named, "location": ""}]}, "$.registrations[0].location"),
                ({"pins": [owned]}, "$.pins[0].table_branch"), ({"idempotency_key": ""}, "$.idempotency_key")]
        before = newest(self.graph)["seq"]
        for intent, path in rows:
            self.refused(json.dumps({"pins": [], **intent}), path)
        self.assertEqual(newest(self.graph)["seq"], before)

    def test_texts_that_are_no_intents_are_refused(self):
        rows = {"[" * 200_000: "expected an object", '{"pins":' + "[" * 200_000: "expected an object",
                '{"pins":[],"actor":NaN}': "$.actor", '{"pins":[],"actor":"\\ud800"}': "surrogate",
                "\ufeff" + '{"pins":[]}': "byte order mark", '{"pins":[]}\0': "white space",
                '{"pins":[{"stable_table_id":-1}]}': "$.pins[0].stable_table_id",
                '{"pins":[{"stable_table_id":1e3}]}': "$.pins[0].stable_table_id",
                '{"pins":[{"stable_table_id":18446744073709551616}]}': "$.pins[0].stable_table_id",
                '{"pins":[],"lineage":{"kind":"retire"}}': "only deleting the branch"}
        for text, why in rows.items():
            with self.subTest(text=text[:40]):
                self.refused(text, why)
        deep = {**pin(1, "node:A", 2), "metadata": json.loads('{"a":' * 62 + "1" + "}" * 62)}
        self.assertEqual(self.create(json.dumps({"pins": [deep]})).code, 2)

    def test_bytes_that_are_no_text_are_refused(self):
        for content in (b'{"pins":[],"actor":"\xff"}', b'{"pins":[],"actor":"\xc0\x80"}', b"\x00", b"\xff\xfe{\x00"):
            done = subprocess.run([harness.program, "commit", "create", self.graph, "--file", "-", "--json"], input=content,
                                  capture_output=True, env=environment(), timeout=patience)
            self.assertEqual(done.returncode, 2, content)
            self.check_told(done.stderr.decode(), True)

    def test_hundred_megabytes_are_refused_without_being_read(self):
        for verb in ("create", "import"):
            with start("commit", verb, self.graph, "--file", "-", "--json", stdin=subprocess.PIPE) as reading:
                try:
                    reading.stdin.write('{"pins":[],"actor":"')
                    for _ in range(100):
                        reading.stdin.write(1_000_000 * "a")
                    reading.stdin.write('"}')
                    reading.stdin.close()
                except BrokenPipeError:
                    pass
                err = reading.stderr.read()
                self.assertEqual(reading.wait(patience), 2)
            self.check_told(err, True)
            self.assertIn("max_record_bytes", err)

    def test_stdin_is_read_once(self):
        answer = self.create('{"pins":[]}', "--schema-content", "-")
        self.assertEqual((answer.code, answer.out), (2, ""))
        self.assertIn("stdin is read once", answer.error()["message"])

    def test_lines_end_as_their_writers_end_them(self):
        lines = [next_version(1, "node:A", version) for version in (11, 12, 13)]
        for text in ("\r\n".join(lines) + "\r\n", "\n\n" + "\n \t\n".join(lines), "\n".join(lines)):
            answer = good("commit", "import", self.graph, "--file", "-", "--json", text=text)
            self.assertEqual(len(answer.lines()), 3)
        answer = run("commit", "import", self.graph, "--file", "-", text="\ufeff" + lines[0])
        self.assertEqual(answer.code, 2)
        self.assertRegex(answer.err, r"line 1 \(0 commits stand\): .*byte order mark")

    def test_the_limit_that_is_reached_is_named(self):
        graph = small_graph()
        text = next_version(1, "node:A", 2)
        answer = run("commit", "create", graph, "--file", "-", "--schema-content", "/dev/zero", text=text)
        self.assertEqual(answer.code, 2)
        self.assertIn("max_schema_bytes", answer.err)
        self.assertIn("max_record_bytes", run("commit", "create", graph, "--file", "/dev/zero").err)

    def test_inputs_that_are_no_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for verb in ("create", "import"):
                for path in (folder, os.path.join(folder, "none"), ""):
                    answer = run("commit", verb, self.graph, "--file", path, "--json")
                    self.assertEqual(answer.code, 2, path)
                    self.check_told(answer.err, True)
                pipe = os.path.join(folder, verb)
                os.mkfifo(pipe)
                writer = threading.Thread(target=self.fill, args=(pipe,))
                writer.start()
                self.assertEqual(run("commit", verb, self.graph, "--file", pipe).code, 0)
                writer.join()

    def fill(self, pipe):
        with open(pipe, "w") as to:
            to.write(next_version(1, "node:A", 21) + "\n")


class Mutations(Told):
    """A whole intent, damaged by chance: published, or refused in one line that names the place; never anything else."""

    whole = json.dumps({
        "actor": "act-x", "idempotency_key": None, "lineage": None,
        "schema": {"identity_domain": "d", "ir_hash": "sha256:i", "identity_version": 9, "content_hash": "sha256:c"},
        "pins": [{**pin(1, "node:A", 5), "metadata": {"rows": [1, 2.5, None, True, "x\u00fc"]}, "table_branch": "b"}],
        "registrations": [registration(900, "node:New")],
        "tombstones": [{"stable_table_id": 2, "incarnation": 1, "table_key": "node:B"}],
        "renames": [{"stable_table_id": 3, "incarnation": 1, "from": "node:C", "to": "node:D"}]}).encode()
    tokens = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"1e9", b"-1", b"0", b"18446744073709551615",
              b"18446744073709551616", b'""', b"\\u0000", b"\\ud800", b"\xff", b"\n", b"\xef\xbb\xbf", b"NaN", b"/*x*/",
              b'"pins":[],', b'"retire"', b'"kind":', b"01", b"1.0", 70 * b"[", b'"\\x"']

    def damaged(self, chance):
        text = bytearray(self.whole)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            at = chance.randrange(len(text) + 1)
            how = chance.randrange(6)
            if how == 0:
                del text[at:at + chance.choice((1, 2, 10, 100))]
            elif how == 1:
                text[at:at] = chance.choice(self.tokens)
            elif how == 2:
                text[at:at + chance.choice((1, 4, 12))] = chance.choice(self.tokens)
            elif how == 3 and at < len(text):
                text[at] ^= 1 << chance.randrange(8)
            elif how == 4:
                other = chance.randrange(len(text) + 1)
                text[at:at] = text[min(at, other):max(at, other)]
            else:
                del text[at:]
        return bytes(text)

    def test_each_is_published_or_refused_in_one_line(self):
        chance = random.Random(seed)
        graph = small_graph()
        for table, key in ((2, "node:B"), (3, "node:C")):
            good("commit", "create", graph, "--file", "-", text=first_version(table, key))
        published = 0
        for number in range(mutations):
            text = self.damaged(chance)
            with self.subTest(seed=seed, number=number, text=text):
                done = subprocess.run([harness.program, "commit", "create", graph, "--file", "-", "--json"], input=text,
                                      capture_output=True, env=environment(), timeout=patience)
                published += done.returncode == 0
                if done.returncode != 0:
                    self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
                    self.check_told(done.stderr.decode(), True)
        print(f"{mutations} damaged intents, {published} of them published", file=sys.stderr)
        self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])


def use(chosen):
    global store
    store = chosen
    if store.name == "file":
        globals()["WrittenFiles"] = type("WrittenFiles", (Written, Told), {"__module__": __name__})


if __name__ == "__main__":
    sys.exit(harness.main("edges_test", use))
