#!/usr/bin/env python3
"""One fault at a time in a graph with branches, of each kind there is: no read is ever wrong, verify names exactly it,
repair mends what can be mended, cleanup deletes nothing that is needed. planted_faults_test.py PROGRAM file|s3|azure
[unittest options].
"""
import json
import os
import re
import sys
import unittest

import harness
import objects
from harness import first_version, good, next_version, run

store = None
interval, fork, newest = 5, 21, 24
temporary = ".tmp.0123abcd-0123-4567-89ab-0123456789ab"
other_life = "review.01BX5ZZKBKACTAV9WEVGEMMVRZ"


def record(seq, stream="main"):
    return f"_graph/{stream}/{2**64 - 1 - seq:020}.commit"


def checkpoint(seq, stream="main"):
    return f"_graph/{stream}/checkpoints/{seq:020}.json"


def hint(stream="main"):
    return f"_graph/{stream}/latest.json"


def metadata(stream="main"):
    return f"_graph/streams/{stream}.json"


def encoded(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def changed(change):
    """Content -> content: the JSON with something else in it."""
    def apply(content):
        value = json.loads(content)
        change(value)
        return encoded(value)
    return apply


def torn(content):
    return content[:len(content) // 2]


def empty(content):
    return b""


def gone(content):
    return None


def as_it_is(content):
    return content


def always(content):
    return lambda _: content


def more_entities(pin):
    pin["entity_count"] += 1


class Fault:
    """`change` makes of the object's content what is planted, None removes it; `also`: what goes with it. `finding`: the
    kind that verify tells, and of which key; `beside`: what follows from it, told too. `hurt`: the reads that may fail,
    with these codes; a read that answers must answer right. `final`: cleanup acts on it, for good."""

    def __init__(self, key, change, finding, corrupt=True, mended=False, names=None, also=(), beside=(), hurt=(),
                 codes=("corrupt",), final=False):
        self.changes = ((key, change), *also)
        self.key, self.finding, self.corrupt, self.mended = key, finding, corrupt, mended
        self.told = sorted([(finding, names or key), *beside])
        self.hurt, self.codes, self.final = hurt, codes, final


def faults(world):
    review, fresh, old = world.review, world.fresh, world.old
    at = ("main@12",)
    both = ("main", "review", "main@12", "young@27")
    absent = ("branch_not_found", "not_found")
    deleted = ("branch_retired", "branch_not_found")
    ended = fork + 2  # Where review's next record goes.

    def hints():
        yield Fault(hint(), gone, "hint_missing", corrupt=False, mended=True)
        yield Fault(hint(), empty, "hint_garbage", mended=True)
        yield Fault(hint(), torn, "hint_garbage", mended=True)
        yield Fault(hint(), always(b'{"seq":3,"checkpoint":0}'), "hint_stale", corrupt=False, mended=True)
        yield Fault(hint(), always(b'{"seq":999,"checkpoint":20}'), "hint_ahead", mended=True)
        yield Fault(hint(fresh), always(b'{"seq":999,"checkpoint":20}'), "hint_ahead", mended=True)
        # Whoever starts from a checkpoint there overlooks that the branch has ended.
        yield Fault(hint(review), always(encoded({"seq": ended, "checkpoint": ended})), "hint_wrong", mended=True,
                    also=[(record(ended, review), always(world.retire_record())), (metadata(review), as_it_is)],
                    beside=[("half_done_delete", metadata(review))], hurt=("review",), codes=deleted, final=True)

    def checkpoints():
        for seq in (10, 20):
            yield Fault(checkpoint(seq), gone, "checkpoint_missing", corrupt=False, mended=True)
            yield Fault(checkpoint(seq), torn, "checkpoint_torn", mended=True)
        yield Fault(checkpoint(20), empty, "checkpoint_torn", mended=True)
        yield Fault(checkpoint(20), changed(lambda it: more_entities(it["heads"][0]["pin"])), "checkpoint_wrong",
                    mended=True)
        yield Fault(checkpoint(20), lambda content: content + b"\n", "checkpoint_wrong", mended=True)
        yield Fault(checkpoint(fork, review), gone, "checkpoint_missing", mended=True, hurt=("review",),
                    codes=("corrupt", "history_gap"))
        yield Fault(checkpoint(fork, review), torn, "checkpoint_torn", mended=True, hurt=("review",))

    def records():
        yield Fault(record(12), gone, "gap", hurt=at, codes=("history_gap",))
        yield Fault(record(12), empty, "record_torn", hurt=at)
        yield Fault(record(12), torn, "record_torn", hurt=at)
        yield Fault(record(12), changed(lambda it: more_entities(it["pins"][0])), "digest_wrong", hurt=at)
        yield Fault(record(12), always(b'{"format":2}'), "unknown_format", hurt=at, codes=("unsupported",))
        yield Fault(record(12), changed(lambda it: it.update(parent_commit_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")),
                    "parent_break", hurt=at, codes=("history_gap", "corrupt"))
        yield Fault(record(12), changed(lambda it: it["carry"]["heads"].clear()), "carry_wrong")
        yield Fault(record(newest), changed(lambda it: it["carry"]["heads"].clear()), "carry_wrong")
        yield Fault(record(newest), changed(lambda it: it.update(state_digest=64 * "0")), "digest_wrong",
                    hurt=("main",))
        yield Fault(record(newest), torn, "record_torn", hurt=("main",))
        yield Fault(record(12), changed(lambda it: it["pins"][0].update(stable_table_id=77)), "refused_change", hurt=at)
        yield Fault(record(12), changed(lambda it: it["registrations"].append(harness.registration(77, "node:T1"))),
                    "duplicate_key", hurt=at)
        # The time is part of the state.
        yield Fault(record(12), changed(lambda it: it.update(created_at=world.time_of(11))), "time_falls",
                    beside=[("digest_wrong", record(12))], hurt=at)
        yield Fault(metadata(), changed(lambda it: it.update(floor=10)), "void_record", corrupt=False,
                    names=record(1), final=True)
        yield Fault(record(27, old), gone, "gap", hurt=("young@27",), codes=("history_gap",))
        yield Fault(record(newest), changed(lambda it: more_entities(it["pins"][0])), "digest_wrong", hurt=("main",))

    def sets():
        yield Fault(world.set, gone, "set_missing", mended=True)
        yield Fault(world.set, torn, "set_wrong", mended=True)
        yield Fault(world.set, changed(lambda it: it["tombstones"][0].update(seq=1)), "set_wrong", mended=True)

    def authorities():
        yield Fault(metadata(), gone, "metadata_missing", hurt=both, codes=absent)
        yield Fault(metadata(), torn, "metadata_torn", hurt=both)
        yield Fault(metadata(review), gone, "metadata_missing", hurt=("review",), codes=absent)
        yield Fault(metadata(review), torn, "metadata_torn", hurt=("review",))
        yield Fault("_graph/names/review.json", gone, "name_missing", hurt=("review",), codes=absent)
        yield Fault("_graph/names/review.json", torn, "metadata_torn", hurt=("review",))
        yield Fault("_graph/format.json", torn, "metadata_torn", hurt=both)
        yield Fault("_graph/format.json", changed(lambda it: it.update(format=2)), "unknown_format", hurt=both,
                    codes=("unsupported",))
        yield Fault(metadata(other_life), always(world.second_life()), "duplicate_life",
                    also=[(checkpoint(fork, other_life), always(world.second_start()))])
        yield Fault(metadata(fresh), changed(lambda it: it["parent"].update(commit_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")),
                    "parent_wrong")
        yield Fault(metadata(world.ended), changed(lambda it: it["retired"].update(final_seq=newest + 2)), "end_wrong")
        end = {"at": 1, "by": "act-x", "final_seq": ended}
        yield Fault("_graph/names/review.json", changed(lambda it: it.update(stream=other_life)), "name_wrong",
                    also=[(metadata(other_life), always(world.second_life(retired=end)))], hurt=("review",),
                    codes=absent)
        yield Fault(record(ended, review), always(world.retire_record()), "half_done_delete", corrupt=False, mended=True,
                    names=metadata(review), also=[(hint(review), always(encoded({"seq": ended, "checkpoint": fork}))),
                                                  (metadata(review), as_it_is)],
                    hurt=("review",), codes=deleted, final=True)

    def strangers():
        yield Fault("_graph/main/.DS_Store", always(b"x"), "stray_key", corrupt=False)
        yield Fault(hint() + temporary, always(b"{"), "stray_key", corrupt=False)
        yield Fault(checkpoint(3, "never.01ARZ3NDEKTSV4RRFFQ69G5FAV"), always(b"{"), "half_done_create", corrupt=False,
                    names=metadata("never.01ARZ3NDEKTSV4RRFFQ69G5FAV"))
        yield Fault(f"__history/schemas/{64 * 'a'}.schema", always(b"x"), "schema_wrong")

    for each in (hints, checkpoints, records, sets, authorities, strangers):
        yield from each()


class World:
    """24 commits on main, the sixth drops a table; `review`, forked at 21, with one of its own; `fresh` at its fork;
    `young`, forked at 28 from `old`, which was deleted."""

    def __init__(self):
        self.graph = store.fresh()
        good("init", self.graph, "--checkpoint-interval", interval)
        drop = json.dumps({"pins": [], "tombstones": [{"stable_table_id": 5, "incarnation": 1, "table_key": "node:T5"}]})
        lines = [first_version(table, f"node:T{table}") for table in range(1, 6)] + [drop]
        lines += [next_version(1 + seq % 4, f"node:T{1 + seq % 4}", seq) for seq in range(7, newest + 1)]
        good("commit", "import", self.graph, "--file", "-", text="\n".join(lines[:fork]))
        self.create("review")
        good("commit", "import", self.graph, "--file", "-", text="\n".join(lines[fork:]))
        good("commit", "create", self.graph, "--branch", "review", "--file", "-", text=next_version(1, "node:T1", 1000))
        self.create("fresh")
        self.create("ended")
        good("branch", "delete", self.graph, "ended")
        self.raw = objects.of(store, self.graph)
        self.create("old")
        for version in range(newest + 1, newest + 5):
            good("commit", "create", self.graph, "--branch", "old", "--file", "-",
                 text=next_version(1, "node:T1", version))
        self.create("young", "--from", "old")
        good("branch", "delete", self.graph, "old")
        self.review, self.fresh, self.old, self.ended = (
            self.life(name) for name in ("review", "fresh", "old", "ended"))
        self.set = f"_graph/tombstones/{json.loads(self.raw.get(checkpoint(20)))['tombstoned']['set']}.json"
        self.right = {name: self.read(name) for name in ("main", "review", "main@12", "young@27")}
        self.kept = {name: self.read(name) for name in ("main", "review", f"main@{newest - 5}", "young@27")}

    def create(self, name, *more):
        good("branch", "create", self.graph, name, *more)

    def life(self, name):
        return json.loads(self.raw.get(f"_graph/names/{name}.json"))["stream"]

    def second_life(self, **more):
        value = json.loads(self.raw.get(metadata(self.review)))
        return encoded({**value, "stream": other_life, **more})

    def second_start(self):
        first = json.loads(self.raw.get(checkpoint(fork, self.review)))
        return encoded({**first, "stream": other_life})

    def time_of(self, seq):
        return json.loads(self.raw.get(record(seq)))["created_at"]

    def retire_record(self):
        """What would end review, without digest and carry, as a record may be."""
        last = json.loads(self.raw.get(record(fork + 1, self.review)))
        kept = {name: value for name, value in last.items() if name not in ("carry", "state_digest")}
        return encoded({**kept, "seq": fork + 2, "commit_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "pins": [],
                        "parent_commit_id": last["commit_id"], "created_at": last["created_at"] + 1,
                        "lineage": {"kind": "retire"}})

    def read(self, name, graph=None):
        branch, _, seq = name.partition("@")
        words = ["snapshot", graph or self.graph, "--branch", branch, "--json"] + (["--at", seq] if seq else [])
        answer = run(*words)
        return {**harness.state_of(answer.json()), "graph": None} if answer.code == 0 else answer


class PlantedFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()

    def each(self, check):
        raw = self.world.raw
        planted = list(faults(self.world))
        self.assertGreater(len(planted), 40)
        for fault in planted:
            with self.subTest(key=fault.key, finding=fault.finding):
                before = {key: self.present(raw, key) for key, _ in fault.changes}
                try:
                    for key, change in fault.changes:
                        self.change(raw, key, change(before[key]))
                    check(fault, before)
                finally:
                    self.undo(raw, before)
        self.assertEqual(good("verify", self.world.graph, "--deep", "--json").json()["findings"], [])

    def present(self, raw, key):
        try:
            return raw.get(key)
        except (OSError, ValueError):
            return None

    def change(self, raw, key, content):
        raw.remove(key) if content is None else raw.put(key, content)

    def undo(self, raw, before):
        for key, content in before.items():
            self.change(raw, key, content)

    def expect_no_wrong_state(self, fault):
        for name, right in self.world.right.items():
            state = self.world.read(name)
            if not isinstance(state, harness.Answer):
                self.assertEqual(state, right, name)
                continue
            self.assertIn(name, fault.hurt, state.err)
            self.assertIn(state.error()["code"], fault.codes, state.err)
            codes = {"corrupt": 6, "history_gap": 6, "unsupported": 1, "branch_not_found": 3, "branch_retired": 3,
                     "not_found": 3}
            self.assertEqual(state.code, codes[state.error()["code"]], state.err)

    def expect_found(self, fault):
        found = run("verify", self.world.graph, "--deep", "--json")
        told = sorted((each["finding"], each["key"]) for each in found.json()["findings"])
        self.assertEqual(told, fault.told)
        self.assertEqual(found.code, 6 if fault.corrupt else 0, found.out)

    def expect_mended(self, fault, before):
        graph = self.world.graph
        mended = run("repair", graph, "--confirm", "--json")
        if fault.key == "_graph/format.json":
            self.assertNotEqual(mended.code, 0)
            return
        self.assertEqual(mended.code, 6 if fault.corrupt and not fault.mended else 0, mended.out + mended.err)
        if fault.mended:
            self.assertEqual(good("verify", graph, "--deep", "--json").json()["findings"], [])
            if before[fault.key] is not None and not fault.final:
                self.assertEqual(self.world.raw.get(fault.key), before[fault.key])

    def test_reads_verify_and_repair(self):
        # Who reads a branch that has ended finishes its deletion, so that nothing would be left to mend.
        def check(fault, before):
            self.expect_found(fault)
            if not fault.final:
                self.expect_no_wrong_state(fault)
            self.expect_mended(fault, before)
            if fault.final:
                self.expect_no_wrong_state(fault)

        self.each(check)

    def test_lost_tombstone_set_is_told_by_all_that_ask_for_it(self):
        raw, graph, key = self.world.raw, self.world.graph, self.world.set
        right = raw.get(key)
        asking = (("heads", "list"), ("heads", "verify"), ("commit", "create", "--file", "-"))
        for content, code in ((None, "history_gap"), (b"", "corrupt")):
            try:
                self.change(raw, key, content)
                for group, verb, *words in asking:
                    answer = run(group, verb, graph, *words, "--json", text=first_version(9, "node:T9"))
                    told = answer.error()
                    self.assertEqual((answer.code, told["code"], told["key"]), (6, code, key), (group, verb))
            finally:
                self.change(raw, key, right)

    def test_every_kind_there_is_is_planted(self):
        header = os.path.join(os.path.dirname(__file__), "../../include/headwater/verify.hpp")
        with open(header, encoding="utf-8") as text:
            kinds = re.search(r"enum class kind_type \{(.*?)\};", text.read(), re.DOTALL).group(1)
        there_are = re.findall(r"^ +(\w+),", kinds, re.MULTILINE)
        self.assertGreater(len(there_are), 25)
        self.assertEqual(sorted({each.finding for each in faults(self.world)}), sorted(there_are))

    def test_list_tells_what_stands_above_a_bad_record(self):
        raw, graph = self.world.raw, self.world.graph
        right = raw.get(record(12))
        for content in (None, b"", torn(right), b'{"format":2}'):
            try:
                self.change(raw, record(12), content)
                answer = run("commit", "list", graph, "--limit", 0, "--json")
                self.assertEqual([each["seq"] for each in answer.lines()], list(range(newest, 12, -1)))
                self.assertIn((answer.code, answer.error()["code"]),
                              ((6, "history_gap"), (6, "corrupt"), (1, "unsupported")))
            finally:
                self.change(raw, record(12), right)

    def test_identity_that_was_dropped_and_registered_again_is_found(self):
        graph = store.fresh()
        raw = objects.of(store, graph)
        good("init", graph, "--checkpoint-interval", interval)
        drop = {"pins": [], "tombstones": [{"stable_table_id": 1, "incarnation": 1, "table_key": "node:A"}]}
        for text in (first_version(1, "node:A"), json.dumps(drop), first_version(2, "node:B")):
            good("commit", "create", graph, "--file", "-", text=text)

        # A writer that does not ask what had been dropped; without digest and carry, as a record may be.
        def bring_back(one):
            one["registrations"][0].update(stable_table_id=1, table_key="node:Back")
            one["pins"] = []
            del one["carry"], one["state_digest"]

        raw.put(record(3), changed(bring_back)(raw.get(record(3))))
        told = run("verify", graph, "--json")
        self.assertEqual([(each["finding"], each["seq"]) for each in told.json()["findings"]], [("refused_change", 3)])
        self.assertEqual(told.code, 6)
        self.assertIn("was used before", told.json()["findings"][0]["detail"])

    def test_cleanup_deletes_nothing_needed(self):
        if store.name != "file":
            return  # Only a folder is copied in no time.

        def check(fault, before):
            if fault.final:
                return
            graph = store.fresh()
            self.world.raw.copy_to(graph)
            run("cleanup", graph, "--keep", 5, "--confirm", "--quiesced")
            self.undo(objects.of(store, graph), before)
            good("verify", graph, "--deep")
            for name, right in self.world.kept.items():
                self.assertEqual(self.world.read(name, graph), right, name)

        self.each(check)


def use(chosen):
    global store
    store = chosen


if __name__ == "__main__":
    sys.exit(harness.main("planted_faults_test", use))
