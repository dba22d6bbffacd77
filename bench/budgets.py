"""What the figures are judged by: each budget a ratio inside one run, or a count."""
from dataclasses import dataclass
from typing import Callable, Optional


@dataclass
class Judged:
    name: str
    value: Optional[float]
    limit: float
    at_most: bool
    must_hold: bool

    @property
    def passed(self):
        if self.value is None:
            return None
        return self.value <= self.limit if self.at_most else self.value >= self.limit


@dataclass
class Budget:
    name: str
    measure: Callable
    limit: float
    at_most: bool = True
    must_hold: bool = False  # A count that does not depend on the machine: missing it fails the run.


class Lines:
    """Looks figures up in the lines of one run."""

    def __init__(self, lines):
        self.lines = lines

    def get(self, figure, **where):
        for line in self.lines:
            if all(line.get(name) == value for name, value in where.items()) and figure in line:
                return line[figure]
        return None

    def ratio(self, figure, over, where, **common):
        above, below = self.get(figure, **where, **common), self.get(over[0], **over[1], **common)
        return above / below if above is not None and below else None


def read_latency(strategy, figure, world="virtual"):
    common = {"bench": "reconstruct", "world": world, "delays": "store"}
    return lambda lines: lines.ratio(figure, (figure, {"strategy": "single GET"}), {"strategy": strategy}, **common)


def beside_best_plain(figure):
    """Without carry and hedged, beside the best plan that needs no carry either."""
    def measure(lines):
        common = {"bench": "reconstruct", "world": "virtual", "delays": "store"}
        best = [lines.get(figure, strategy=name, **common) for name in (
            "sequential", "RFC order", "speculative, plain", "speculative, plain, hedged")]
        mine = lines.get(figure, strategy="headwater, no carry, hedged", **common)
        return mine / min(best) if mine is not None and None not in best else None
    return measure


def to_raw(what, size, in_flight):
    return lambda lines: lines.get("to_raw", bench="transport", tls=False, client="headwater", what=what, size=size,
                                   in_flight=in_flight)


def rate_beside(other, in_flight):
    def measure(lines):
        common = {"bench": "transport", "tls": False, "what": "throughput", "in_flight": in_flight}
        return lines.ratio("per_second", ("per_second", {"client": other}), {"client": "headwater"}, **common)
    return measure


def publish_latency(world):
    common = {"bench": "publish", "what": "latency", "world": world}
    return lambda lines: lines.ratio("ms_p50", ("ms_p50", {"client": "bare conditional PUT"}), {"client": "headwater"},
                                     **common)


def fold_of(figure, tables):
    return lambda lines: lines.get(figure, bench="fold", tables=tables)


def linear(lines):
    """Time for each table at the greatest width, beside that at a tenth of it."""
    return lines.ratio("us_per_table", ("us_per_table", {"tables": 10_000}), {"tables": 100_000}, bench="fold")


def instructions(what):
    return lambda lines: lines.get("to_baseline", bench="instructions", what=what)


def depth_growth(figure, store, reader, deep, shallow=10):
    """How much a figure grows from one depth to a deeper one."""
    def measure(lines):
        return lines.ratio(figure, (figure, {"depth": shallow}), {"depth": deep}, bench="depth", store=store,
                           reader=reader)
    return measure


def depth_budgets():
    for store, deepest in (("file", 100_000), ("memory", 100_000), ("s3", 10_000), ("azure", 10_000)):
        yield Budget(f"requests on {store} at {deepest:,} commits, beside 10",
                     depth_growth("requests", store, "headwater", deepest), 1.0, must_hold=True)
    yield Budget("the control's requests on file at 10,000, beside 10",
                 depth_growth("requests", "file", "control: records alone", 10_000), 100, at_most=False,
                 must_hold=True)


BUDGETS = [
    Budget("cold read with carry: p50, in median requests", read_latency("headwater, cold", "ms_p50"), 2.9),
    Budget("cold read with carry, hedged: p99, in the request's p99",
           read_latency("headwater, cold, hedged", "ms_p99"), 1.6),
    Budget("first use of a graph: p50, in median requests", read_latency("headwater, first use", "ms_p50"), 2.9),
    Budget("warm poll: p50, in median requests", read_latency("headwater, warm poll", "ms_p50"), 1.1),
    Budget("no carry, hedged: p50 beside the best plain plan", beside_best_plain("ms_p50"), 1.0),
    Budget("no carry, hedged: p99 beside the best plain plan", beside_best_plain("ms_p99"), 1.0),
    Budget("cold read with carry over sockets: p50, in median requests",
           read_latency("headwater, cold", "ms_p50", "socket"), 2.9),
    Budget("publish, warm: p50 beside a bare conditional PUT", publish_latency("virtual"), 1.1),
    Budget("publish over sockets, warm: p50 beside a bare PUT", publish_latency("socket"), 1.1),
    Budget("one warm GET of 1 KB, beside the raw loop", to_raw("one warm GET", 1024, 1), 1.15),
    Budget("one warm GET of 38 KB, beside the raw loop", to_raw("one warm GET", 38000, 1), 1.15),
    Budget("signed batch of 50, beside the raw loop", to_raw("batch", 765, 50), 1.35),
    Budget("requests/s at 50 in flight, beside the raw loop", rate_beside("raw", 50), 0.8, at_most=False),
    Budget("requests/s at 50 in flight, beside libcurl multi", rate_beside("libcurl", 50), 3.0, at_most=False),
    Budget("checkpoint of 10,000 tables, beside nlohmann's DOM", fold_of("to_dom", 10_000), 0.5),
    Budget("its peak memory, in its bytes", fold_of("peak_to_bytes", 10_000), 4.0, must_hold=True),
    Budget("time for each table at 100,000, beside 10,000", linear, 1.5),
    *depth_budgets(),
    *(Budget(f"instructions, {what}, beside the committed count", instructions(what), 1.1, must_hold=True)
      for what in ("GET of 1 KB", "GET of 38 KB", "fold of 100 tables")),
]


def judge(lines):
    figures = Lines(lines)
    return [Judged(each.name, each.measure(figures), each.limit, each.at_most, each.must_hold) for each in BUDGETS]


def broken(judged):
    """The budgets that do not depend on the machine and were missed even so: they fail the run."""
    return [each for each in judged if each.must_hold and each.passed is False]


def table(judged):
    rows = [f"{'budget':<66} {'measured':>9} {'target':>9}"]
    for each in judged:
        if each.value is None:
            continue
        sign = "<=" if each.at_most else ">="
        verdict = "pass" if each.passed else "MISSED"
        rows.append(f"{each.name:<66} {each.value:>9.2f} {sign} {each.limit:>6.2f}  {verdict}")
    return "\n".join(rows)
