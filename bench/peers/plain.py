"""The reconstruction written plainly, over any function that gets an object or None. No carry, no digests."""
import json
import time


def record(seq):
    return f"_graph/main/{2**64 - 1 - seq:020d}.commit"


def checkpoint(seq):
    return f"_graph/main/checkpoints/{seq:020d}.json"


HINT = "_graph/main/latest.json"


def from_checkpoint(content):
    return {head["stable_table_id"]: (head["pin"] or {}).get("target_version", 0)
            for head in json.loads(content)["heads"]}


def apply(heads, content):
    value = json.loads(content)
    for each in value.get("tombstones", ()):
        heads.pop(each["stable_table_id"], None)
    for each in value.get("registrations", ()):
        heads[each["stable_table_id"]] = 0
    for each in value["pins"]:
        heads[each["stable_table_id"]] = each["target_version"]


def one_by_one(get):
    base = json.loads(get(HINT))["checkpoint"]
    heads, seq = from_checkpoint(get(checkpoint(base))), base + 1
    while (content := get(record(seq))) is not None:
        apply(heads, content)
        seq += 1
    return heads


def at_once(get, get_all):
    hint = json.loads(get(HINT))
    base = hint["checkpoint"]
    names = [checkpoint(base)] + [record(seq) for seq in range(base + 1, hint["seq"] + 2)]
    first, *rest = get_all(names)
    heads = from_checkpoint(first)
    for content in rest:
        if content is None:
            break
        apply(heads, content)
    return heads


def measure(client, plan, reads, read, counter):
    if not read():
        raise ValueError("the state is empty")
    before, took = counter(), []
    for _ in range(reads):
        began = time.perf_counter()
        read()
        took.append((time.perf_counter() - began) * 1000)
    took.sort()

    def at(share):
        return took[round(share * (len(took) - 1))]

    print(json.dumps({"bench": "peers", "client": client, "plan": plan, "samples": reads, "ms_p10": at(.1),
                      "ms_p50": at(.5), "ms_p90": at(.9), "ms_p99": at(.99),
                      "requests": (counter() - before) / reads}), flush=True)
