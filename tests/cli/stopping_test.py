#!/usr/bin/env python3
"""What a signal leaves: a verb that writes says what became of it, and what to do: stopping_test.py PROGRAM
file|s3|azure [unittest options].
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import first_version, good, next_version, patience, run, small_graph, start
from relay import Relay

store = None
soon = 30  # Seconds; the verbs would wait for their answers for a minute.


def is_commit(method, path):
    return method == "PUT" and path.endswith(".commit")


class Reading(unittest.TestCase):
    def test_nothing_is_held_back_while_input_is_awaited(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, "pipe"))
            graph = small_graph()
            for file in ("-", os.path.join(folder, "pipe")):
                with start("commit", "create", graph, "--file", file, stdin=subprocess.PIPE) as reading:
                    time.sleep(1)
                    reading.send_signal(signal.SIGTERM)
                    self.assertEqual(reading.wait(patience), -signal.SIGTERM)


class Doubt(unittest.TestCase):
    """Behind a relay that swallows an answer."""

    def setUp(self):
        self.graph = small_graph()

    def behind(self, swallows):
        url = store.settings["AWS_ENDPOINT_URL_S3"] if store.name == "s3" else store.url
        return Relay(url, swallows)

    def start(self, relay, *words, **how):
        settings = ({"AWS_ENDPOINT_URL_S3": relay.url} if store.name == "s3"
                    else store.connection(relay.url, store.secret))
        return start(*words, settings=settings, **how)

    def intent(self, version):
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(file.close)
        file.write(next_version(1, "node:A", version))
        file.flush()
        return file.name

    def stop(self, process, *signals):
        begun = time.monotonic()
        for each in signals:
            process.send_signal(each)
        out, err = process.communicate(timeout=patience)
        self.assertLess(time.monotonic() - begun, soon)
        return process.returncode, out, err

    def stopped_in_doubt(self, swallows, *words, signals=(signal.SIGINT,)):
        with self.behind(swallows) as relay, self.start(relay, *words) as process:
            self.assertTrue(relay.silent.wait(patience))
            return self.stop(process, *signals)

    def check_stands(self, token, seq):
        self.assertEqual(good("resolve", self.graph, token, "--json").json()["outcome"], "committed")
        self.assertEqual(good("snapshot", self.graph, "--json").json()["seq"], seq)

    def test_a_commit_in_doubt_has_a_token(self):
        for number, ending in enumerate((signal.SIGINT, signal.SIGTERM)):
            code, out, err = self.stopped_in_doubt(is_commit, "commit", "create", self.graph, "--file",
                                                   self.intent(number + 2), "--json", signals=(ending,))
            self.assertEqual((code, out), (5, ""), err)
            error = json.loads(err)["error"]
            self.assertEqual(error["code"], "outcome_unknown")
            self.assertIn("stopped by a signal", error["message"])
            self.check_stands(error["resume"], number + 2)
        code, out, err = self.stopped_in_doubt(is_commit, "commit", "create", self.graph, "--file", self.intent(4))
        self.assertEqual(code, 5, err)
        self.assertIn("headwater resolve", err)
        self.check_stands(err.rsplit("resume=", 1)[1].strip(), 4)

    def test_an_import_in_doubt_says_how_far_it_came(self):
        code, _, err = self.stopped_in_doubt(is_commit, "commit", "import", self.graph, "--file", self.intent(2),
                                             "--json")
        self.assertEqual(code, 5, err)
        error = json.loads(err)["error"]
        self.assertEqual((error["code"], error["line"], error["committed"]), ("outcome_unknown", "1", "0"))
        self.check_stands(error["resume"], 2)

    def test_a_second_signal_ends_at_once(self):
        code, _, err = self.stopped_in_doubt(is_commit, "commit", "import", self.graph, "--file", self.intent(2),
                                             signals=(signal.SIGINT, signal.SIGTERM))
        self.assertIn(code, (-signal.SIGTERM, 5), err)  # 5: it was over before the second came.

    def test_a_merge_in_doubt_has_a_token(self):
        good("branch", "create", self.graph, "side")
        good("commit", "create", self.graph, "--branch", "side", "--file", "-", text=first_version(7, "node:B"))
        code, _, err = self.stopped_in_doubt(is_commit, "branch", "merge", self.graph, "side", "--json")
        self.assertEqual(code, 5, err)
        self.check_stands(json.loads(err)["error"]["resume"], 2)
        again = good("branch", "merge", self.graph, "side", "--json").json()
        self.assertEqual(again["outcome"], "already_up_to_date")

    def test_before_a_commit_is_sent_nothing_is_in_doubt(self):
        code, _, err = self.stopped_in_doubt(lambda method, path: "/_graph/" in path, "commit", "create", self.graph,
                                             "--file", self.intent(2), "--json")
        self.assertEqual(code, 1, err)
        error = json.loads(err)["error"]
        self.assertEqual(error["code"], "cancelled")
        self.assertIn("nothing was committed", error["message"])
        self.assertNotIn("resume", error)

    def test_other_verbs_say_what_to_do(self):
        good("branch", "create", self.graph, "side")
        put_of_metadata = lambda method, path: method == "PUT" and "/streams/" in path
        for words, advice in ((("branch", "create", self.graph, "new"), "headwater branch list"),
                              (("branch", "delete", self.graph, "side"), "run it again"),
                              (("cleanup", self.graph, "--keep", 1, "--confirm"), "it goes on where it stopped"),
                              (("repair", self.graph, "--confirm"), "it goes on where it stopped"),
                              (("init", store.fresh()), "run it again")):
            with self.subTest(words=words):
                upkeep = words[0] in ("cleanup", "repair")
                swallows = (lambda method, path: "/_graph/" in path) if upkeep else put_of_metadata
                code, _, err = self.stopped_in_doubt(swallows, *words)
                self.assertEqual(code, 1, err)
                self.assertRegex(err, r"\Aheadwater: cancelled: .*stopped by a signal; .*\n\Z")
                self.assertIn(advice, err)


def use(tested):
    global store
    store = tested
    if store.name == "file":
        del globals()["Doubt"]  # A file answers at once.


if __name__ == "__main__":
    sys.exit(harness.main("the end by a signal", use))
