"""One self-contained HTML page from the lines of a run: inline SVG, no script, nothing fetched."""
import math
from html import escape

INK, FAINT, BARS = "#1b2733", "#d5dce3", ("#2f6f9f", "#e08e45", "#5a9e6f", "#a05195", "#7f8c8d")
STYLE = """body{font:15px/1.5 system-ui,sans-serif;color:#1b2733;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2.2rem}table{border-collapse:collapse;width:100%}
td,th{padding:.25rem .6rem;border-bottom:1px solid #d5dce3;text-align:left}td.n,th.n{text-align:right;
font-variant-numeric:tabular-nums}.pass{color:#2e7d4f}.missed{color:#b3261e;font-weight:600}.note{color:#5b6b7a}"""


def figure_text(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def text(x, y, what, anchor="start", size=12, colour=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" '
            f'font-family="system-ui,sans-serif">{escape(str(what))}</text>')


def svg(width, height, parts):
    return (f'<svg viewBox="0 0 {width} {height}" width="100%" role="img" xmlns="http://www.w3.org/2000/svg">'
            + "".join(parts) + "</svg>")


def bars(rows, unit):
    """Rows of (label, [(name, value), …]): for each label one thin bar a value, from a common zero."""
    names = list(dict.fromkeys(name for _, values in rows for name, _ in values))
    most = max((value for _, values in rows for _, value in values), default=0) or 1
    left, right, bar = 230, 70, 11
    parts = []
    for at, name in enumerate(names):
        parts.append(f'<rect x="{left + at * 90}" y="4" width="10" height="10" fill="{BARS[at % len(BARS)]}"/>')
        parts.append(text(left + at * 90 + 14, 13, name))
    y = 26
    for label, values in rows:
        parts.append(text(left - 8, y + bar * len(values) / 2 + 4, label, "end"))
        for name, value in values:
            width = max(1, value / most * (860 - left - right))
            parts.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{bar - 2}" '
                         f'fill="{BARS[names.index(name) % len(BARS)]}"/>')
            parts.append(text(left + width + 5, y + bar - 2, f"{figure_text(value)} {unit}", size=10))
            y += bar
        y += 7
    return svg(860, y, parts)


def ticks(low, high):
    return [10 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def curves(series, across, up):
    """Lines of (name, [(x, y), …]) on two logarithmic axes."""
    points = [point for _, line in series for point in line if point[0] > 0 and point[1] > 0]
    if not points:
        return ""
    across_ticks = ticks(min(p[0] for p in points), max(p[0] for p in points))
    up_ticks = ticks(min(p[1] for p in points), max(p[1] for p in points))
    left, top, width, height = 70, 34, 740, 260

    def place(value, marks, length):
        span = math.log10(marks[-1] / marks[0]) or 1
        return math.log10(value / marks[0]) / span * length

    parts = []
    for mark in across_ticks:
        x = left + place(mark, across_ticks, width)
        parts.append(f'<path d="M{x:.1f} {top}v{height}" stroke="{FAINT}"/>')
        parts.append(text(x, top + height + 16, f"{mark:,g}", "middle", 11))
    for mark in up_ticks:
        y = top + height - place(mark, up_ticks, height)
        parts.append(f'<path d="M{left} {y:.1f}h{width}" stroke="{FAINT}"/>')
        parts.append(text(left - 6, y + 4, f"{mark:,g}", "end", 11))
    parts.append(text(left + width / 2, top + height + 34, across, "middle"))
    parts.append(text(left, 12, up, "start"))
    for at, (name, line) in enumerate(series):
        colour = BARS[at % len(BARS)]
        path = " ".join(f"{left + place(x, across_ticks, width):.1f},{top + height - place(y, up_ticks, height):.1f}"
                        for x, y in sorted(line) if x > 0 and y > 0)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in path.split():
            x, y = point.split(",")
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>')
        parts.append(f'<rect x="{left + 130 + at * 150}" y="3" width="10" height="10" fill="{colour}"/>')
        parts.append(text(left + 144 + at * 150, 12, name))
    return svg(860, top + height + 44, parts)


def table(lines, columns):
    """Columns of (heading, key); numbers stand right."""
    head = "".join(f'<th class="n">{escape(h)}</th>' if at else f"<th>{escape(h)}</th>"
                   for at, (h, _) in enumerate(columns))
    body = ""
    for line in lines:
        cells = ""
        for _, key in columns:
            value = line.get(key, "")
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            cells += f'<td class="n">{figure_text(value)}</td>' if number else f"<td>{escape(str(value))}</td>"
        body += f"<tr>{cells}</tr>"
    return f"<table><tr>{head}</tr>{body}</table>"


def section(title, note, *content):
    return f'<h2>{escape(title)}</h2><p class="note">{escape(note)}</p>' + "".join(content)


def budget_section(judged):
    rows = ""
    for each in judged:
        if each.value is None:
            continue
        verdict = "pass" if each.passed else "missed"
        rows += (f'<tr><td>{escape(each.name)}</td><td class="n">{each.value:.2f}</td>'
                 f'<td class="n">{"≤" if each.at_most else "≥"} {each.limit:.2f}</td>'
                 f'<td class="{verdict}">{verdict}</td></tr>')
    return section("Budgets", "Ratios inside this run.", "<table><tr><th>budget</th><th class='n'>measured</th>"
                   f"<th class='n'>target</th><th></th></tr>{rows}</table>") if rows else ""


def reconstruct_sections(lines):
    out = ""
    columns = [("strategy", "strategy"), ("p50 ms", "ms_p50"), ("p90", "ms_p90"), ("p99", "ms_p99"),
               ("requests", "requests"), ("attempts", "attempts"), ("rounds", "rounds"), ("bytes", "bytes")]
    groups = {}
    for line in lines:
        if line["bench"] == "reconstruct" and "stale" not in line and "strategy" in line:
            groups.setdefault((line["world"], line["delays"], line["connections"]), []).append(line)
    for (world, delays, connections), group in groups.items():
        where = "virtual time" if world == "virtual" else f"real sockets, {connections} connections"
        rows = [(line["strategy"], [("p50", line["ms_p50"]), ("p99", line["ms_p99"])]) for line in group]
        out += section(f"Reading the current state: delays “{delays}”, {where}",
                       f"{group[0]['depth']} commits, {group[0]['tables']} tables, {group[0]['samples']} reads each.",
                       bars(rows, "ms"), table(group, columns))
    stale = [line for line in lines if line["bench"] == "reconstruct" and "stale" in line]
    if stale:
        out += section("A stale hint", "What a cold read costs when the hint is k commits old.",
                       table(stale, [("k", "stale"), ("p50 ms", "ms_p50"), ("p99", "ms_p99"),
                                     ("requests", "requests"), ("rounds", "rounds")]))
    return out


def transport_section(lines):
    mine = [line for line in lines if line["bench"] == "transport" and "client" in line]
    if not mine:
        return ""
    out = ""
    for tls in (False, True):
        group = [line for line in mine if line["tls"] is tls]
        rows = {}
        for line in group:
            label = f"{line['what']}, {line['size']} B × {line['in_flight']}"
            rows.setdefault(label, []).append((line["client"], line["to_raw"]))
        if rows:
            out += section("A request beside a raw epoll loop: " + ("TLS" if tls else "plain"),
                           "Time, as a multiple of the raw loop's in the same round; the median of the rounds.",
                           bars(list(rows.items()), "×"),
                           table(group, [("what", "what"), ("client", "client"), ("bytes", "size"),
                                         ("in flight", "in_flight"), ("p50 µs", "us_p50"), ("p90", "us_p90"),
                                         ("× raw", "to_raw"), ("p10", "to_raw_p10"), ("p90", "to_raw_p90"),
                                         ("per s", "per_second"),
                                         ("CPU µs each", "cpu_us")]))
    return out


def publish_sections(lines):
    out = ""
    for world in ("virtual", "socket"):
        mine = [line for line in lines if line["bench"] == "publish" and line["world"] == world]
        latency = [line for line in mine if line["what"] == "latency"]
        writers = [line for line in mine if line["what"] == "writers"]
        if not latency:
            continue
        where = "virtual time" if world == "virtual" else "real sockets"
        out += section(f"Committing, {where}", "A warm publish beside one bare conditional PUT; hint and checkpoint "
                       "follow off the caller's path.",
                       bars([(line["client"], [("p50", line["ms_p50"]), ("p99", line["ms_p99"])]) for line in latency],
                            "ms"))
        out += section(f"Several writers of one stream, {where}", "Fairness is Jain's index: 1 when all have committed "
                       "as often. Latency is of a commit, its lost races included.",
                       table(writers, [("writers", "writers"), ("commits/s", "commits_per_second"),
                                       ("lost for each", "lost_per_commit"), ("gave up", "gave_up"), ("p50 ms", "ms_p50"), ("p99", "ms_p99"),
                                       ("fairness", "fairness"), ("fewest", "least"), ("most", "most")]))
    return out


def fold_section(lines):
    mine = [line for line in lines if line["bench"] == "fold"]
    if not mine:
        return ""
    series = [("headwater", [(line["tables"], line["ms_p50"]) for line in mine]),
              ("nlohmann's DOM", [(line["tables"], line["dom_ms_p50"]) for line in mine])]
    return section("A checkpoint becomes a state", "Decoded, digest checked, folded; beside a DOM parse alone.",
                   curves(series, "tables", "ms"),
                   table(mine, [("tables", "tables"), ("bytes", "bytes"), ("p50 ms", "ms_p50"),
                                ("decoding", "decode_ms_p50"), ("DOM", "dom_ms_p50"), ("× DOM", "to_dom"),
                                ("µs/table", "us_per_table"), ("peak × bytes", "peak_to_bytes")]))


def depth_section(lines):
    mine = [line for line in lines if line["bench"] == "depth" and "reader" in line]
    if not mine:
        return ""
    series = {}
    for line in mine:
        name = line["store"] if line["reader"] == "headwater" else f"{line['store']}, control"
        series.setdefault(name, []).append((line["depth"], line["requests"]))
    kept = {name: points for name, points in series.items() if "memory" not in name}
    return section("Requests by depth of history", "A cold read of the current state. The control has neither "
                   "checkpoints nor carry: it shows that the counter counts.",
                   curves(list((kept or series).items()), "commits", "requests"),
                   table(mine, [("store", "store"), ("reader", "reader"), ("commits", "depth"),
                                ("requests", "requests"), ("to open", "open_requests"), ("rounds", "rounds"),
                                ("bytes", "bytes"), ("p50 ms", "ms_p50"), ("CPU ms", "cpu_ms_p50")]))


def peers_sections(lines):
    out = ""
    for shape in ("none", "store"):
        mine = [line for line in lines if line["bench"] == "peers" and line.get("delays") == shape]
        if not mine:
            continue
        rows = [(f"{line['client']}, {line['plan']}", [("p50", line["ms_p50"]), ("p99", line["ms_p99"])])
                for line in mine]
        out += section(f"The same reconstruction with other clients: delays “{shape}”",
                       "Plain programs over the same server and objects; they use no carry and check no digest.",
                       bars(rows, "ms"), table(mine, [("client", "client"), ("plan", "plan"), ("p50 ms", "ms_p50"),
                                                      ("p90", "ms_p90"), ("p99", "ms_p99"),
                                                      ("requests", "requests")]))
    return out


def small_sections(lines):
    micro = [line for line in lines if line["bench"] == "micro" and "ns" in line]
    counts = [line for line in lines if line["bench"] == "instructions" and "each" in line]
    out = section("One function at a time", "CPU time, the median of the repetitions.",
                  table(micro, [("function", "function"), ("ns", "ns"), ("MB/s", "mb_per_second")])) if micro else ""
    if counts:
        out += section("Instructions", "User instructions for one more of each, by callgrind: they repeat.",
                       table(counts, [("what", "what"), ("each", "each"), ("committed", "baseline"),
                                      ("ratio", "to_baseline"), ("compiler", "compiler")]))
    return out


def render(lines, judged):
    machine = next((line for line in lines if line["bench"] == "machine"), {})
    about = ", ".join(f"{key} {value}" for key, value in machine.items() if key != "bench")
    skips = "".join(f'<p class="missed">Skipped {escape(line["bench"])}: {escape(line["skipped"])}</p>'
                    for line in lines if "skipped" in line)
    body = budget_section(judged) + reconstruct_sections(lines) + publish_sections(lines)
    body += transport_section(lines) + fold_section(lines) + depth_section(lines) + peers_sections(lines)
    body += small_sections(lines)
    return ('<!doctype html><html lang="en"><meta charset="utf-8"><title>Headwater benchmarks</title>'
            f"<style>{STYLE}</style><h1>Headwater benchmarks</h1><p class='note'>{escape(about)}</p>{skips}{body}</html>")
