"""What the tests of the command line share: the program run as a user types it, on the store that is tested.

A test program calls `main` with its test cases: PROGRAM file|s3|azure [unittest options]. Exit code 77: the store's
server is not configured, nothing was tested.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import stores

program = ""
store = None
patience = 600  # Seconds; a machine that is busy with everything else is slow, not broken.


class Answer:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def error(self):
        return json.loads(self.err)["error"]


# What commands remember from one to the next, apart from the user's own.
cache = tempfile.TemporaryDirectory(prefix="headwater-cache-")


def environment(more=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "AZURE_", "SSL_CERT"))}
    return {**kept, "XDG_CACHE_HOME": cache.name, **store.settings, **(more or {})}


def run(*words, text=None, settings=None, **how):
    how.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([program, *map(str, words)], input=text, stderr=subprocess.PIPE, text=True,
                          env=environment(settings), timeout=patience, **how)
    return Answer(done)


def start(*words, settings=None, **how):
    return subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment(settings), **how)


def good(*words, **how):
    answer = run(*words, **how)
    if answer.code != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {answer.code}: {answer.err}")
    return answer


def registration(table, key):
    return {"stable_table_id": table, "incarnation": 1, "table_key": key, "location": f"nodes/{table}"}


def pin(table, key, version):
    return {"stable_table_id": table, "incarnation": 1, "table_key": key, "target_version": version,
            "staged_version": 2**63 + version, "transaction_uuid": None, "entity_count": version}


def first_version(table, key):
    return json.dumps({"registrations": [registration(table, key)], "pins": [pin(table, key, 1)]})


def next_version(table, key, version):
    return json.dumps({"actor": "act-x", "pins": [pin(table, key, version)]})


def state_of(snapshot):
    """What must be equal however a state was read."""
    return {name: value for name, value in snapshot.items() if name not in ("cost", "degraded")}


def small_graph():
    """A graph with one table, node:A, at seq 1."""
    graph = store.fresh()
    good("init", graph)
    good("commit", "create", graph, "--file", "-", text=first_version(1, "node:A"))
    return graph


def main(name, use):
    """Runs the module's tests on the store that the arguments name; `use(store)` hears of it first."""
    global program, store
    program, kind, *rest = sys.argv[1:]
    program = os.path.abspath(program)
    try:
        store = stores.kinds[kind]()
    except stores.MissingServer as missing:
        print(f"\n*** {name} was NOT tested on {kind}: {missing} ***\n", file=sys.stderr)
        return 1 if os.environ.get("HEADWATER_TEST_REQUIRE_SERVERS") == "1" else 77
    use(store)
    try:
        return 0 if unittest.main(argv=[name, "-v", *rest], exit=False).result.wasSuccessful() else 1
    finally:
        store.close()
