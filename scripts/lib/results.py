#!/usr/bin/env python3
"""results.py [add FILE | --write]: the page of measured numbers, made from what bench.sh wrote.

add FILE   takes the lines of `scripts/bench.sh --json FILE` into docs/results/results.jsonl, each in place
           of an earlier one of that name, and makes the page anew
--write    makes the page docs/results/README.md anew
(nothing)  tells whether the page is what the results say; status 1 if not

Nobody types a number: the page has no other ones between its marks.
"""

import json
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FOLDER = os.path.join(ROOT, "docs/results")
BEGIN = "<!-- made from results.jsonl by scripts/lib/results.py --write -->"
END = "<!-- end of the results -->"

# What is measured, what it means, and what was promised of the value or of its ratio to the baseline.
BENCHES = {
    "rpc": {
        "cycle_p99_us": ("Filter, Reserve and Permit from a Go client, planner and scheduler busy, 99th "
                         "percentile", "value < 1000"),
        "cycle_p50_us": ("the same, median", None),
        "echo_p99_us": ("three echoes over a bare socket after each such cycle: the machine's own part, "
                        "99th percentile", None),
        "echo_p50_us": ("the same, median", None),
    },
    "bind-throughput": {
        "stock": ("250 gangs of 16 pods on 5,000 nodes, bound by the stock scheduler pod by pod", None),
        "phalanx": ("the same by Phalanx", "ratio >= 4"),
        "raw": ("the same Bindings without any scheduler", None),
        "phalanx_over_raw": ("Phalanx against the most that the API server takes", "value >= 0.8"),
        "phalanx_50k_waiting": ("Phalanx, while 50,000 more pods wait in gangs that can't fit",
                                "ratio >= 0.8"),
        "stock_50k_gated": ("the stock scheduler, while 50,000 more pods wait behind a scheduling gate", None),
        "stock_cpu_s": ("CPU time of the stock scheduler", None),
        "phalanx_cpu_s": ("CPU time of both processes", None),
        "phalanx_50k_waiting_cpu_s": ("the same, while 50,000 more pods wait", None),
        "stock_50k_gated_cpu_s": ("of the stock scheduler, while 50,000 more pods are gated", None),
        "stock_peak_mib": ("largest memory of the stock scheduler", None),
        "phalanx_peak_mib": ("largest memory of both processes", None),
        "phalanx_50k_waiting_peak_mib": ("the same, while 50,000 more pods wait", None),
        "stock_50k_gated_peak_mib": ("of the stock scheduler, while 50,000 more pods are gated", None),
    },
    "start": {
        "ready_s": ("both processes, from their start until ready, 5,000 nodes and 10,000 pods",
                    "value < 10"),
        "brain_ready_s": ("phalanxd alone, from a recorded snapshot", "value < 2"),
    },
    "placement": {
        "gang512_nodes5000_p99_ms": ("one plan of 512 pods of 8 GPUs, 5,000 nodes half full, 99th percentile",
                                     "value < 5"),
        "gang512_1gpu_nodes5000_p99_ms": ("the same with pods of 1 GPU", "value < 20"),
        "gang512_steady_nodes5000_p99_ms": ("whole hosts, where 64 of them changed since the last plan", None),
        "gang512_segments_nodes5000_p99_ms": ("whole hosts, in segments of 4 in one NVLink domain", None),
        "gang512_mix_nodes5000_p99_ms": ("whole hosts, 64 of them changed, where fragmentation counts: what waits "
                                         "and came is known", None),
        "gang512_1gpu_mix_nodes5000_p99_ms": ("the same with pods of 1 GPU", None),
        "gang4096_nodes100000_ms": ("one plan of 4,096 pods of 8 GPUs, 100,000 nodes, 99th percentile",
                                    "value < 100"),
        "gang4096_steady_nodes100000_ms": ("the same, where 64 nodes changed since the last plan", None),
        "gang4096_1gpu_nodes100000_ms": ("the same with pods of 1 GPU", None),
        "refuse_us": ("a gang that can never fit, 100,000 nodes, 99th percentile", "value < 1000"),
        "scan_nodes5000_ms": ("looking at each of 5,000 nodes once, for comparison", None),
        "scan_nodes100000_ms": ("the same of 100,000 nodes", None),
        "topology_100k_mib": ("what the topology of 100,000 nodes takes of the heap", "value < 100"),
    },
    "philly": {
        "golden_rows_equal": ("rows of the golden table of the recorded Philly cluster that the baseline "
                              "policies give in every digit", "ratio >= 1"),
        "golden_rows": ("rows of that table", None),
        "phalanx_run_s": ("82,247 jobs through the engine of production, on 80 nodes", None),
        "skip_ahead_run_s": ("the same by the nearest textbook policy", None),
    },
    "lingjun": {
        "leaves_over_optimum": ("leaves that gangs of whole hosts use in a real three-layer fabric at random "
                                "occupancy, over the fewest that would hold them; worst of nine cells",
                                "ratio <= 1.01"),
        "nested_best_fit": ("the same by nested best fit, the rule of Kueue's topology-aware scheduling", None),
        "first_fit": ("the same by first fit, hosts by name", None),
        "optimum": ("the fewest by a second exact count", None),
    },
    "openb": {
        "fgd_within_half_point": ("workloads of a real cluster that shares GPUs in which our copy of the published "
                                  "rule FGD allocates within half a point of what was published", "value >= 16"),
        "phalanx_at_or_above_best": ("workloads in which Phalanx allocates at least as much as the better of FGD "
                                     "and first fit by name, means of ten seeds", "value >= 15"),
        "workloads": ("how many there are", None),
        "phalanx": ("GPUs allocated by the engine of production when pods for 130 % of them have come, mean of "
                    "all workloads", None),
        "fgd": ("the same by FGD, which knows the whole workload beforehand", None),
        "first_fit": ("the same by first fit, nodes by name", None),
        "published_fgd": ("the same by FGD as published", None),
    },
}

# Counters that make a table of their own: what their names hold is the row, the case is the column.
GRIDS = {
    "lingjun": ("Leaves used, mean of a cell:", r"leaves_(\d+)pct_(\d+)hosts",
                ("hosts occupied, %", "hosts of the gang")),
    "openb": ("GPUs allocated, %, mean of ten seeds:", r"allocated_(\w+)", ("workload",)),
}


class Refused(Exception):
    """A result that can't stand on the page."""


def parse(text, where):
    """Results by name; the last of a name wins."""
    results = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            result = json.loads(line)
            missing = {"name", "value", "unit", "commit", "load", "machine"} - result.keys()
        except (ValueError, AttributeError) as error:
            raise Refused(f"{where}:{number}: not a JSON object: {line[:80]}") from error
        if missing:
            raise Refused(f"{where}:{number}: {result.get('name')}: no {', '.join(sorted(missing))}")
        bench, _, case = result["name"].partition("/")
        if not case:
            raise Refused(f"{where}:{number}: name is '{result['name']}', expected BENCH/CASE")
        if str(result["commit"]).endswith("-dirty"):
            raise Refused(f"{where}:{number}: {result['name']} was measured on {result['commit']}: expected "
                          "a commit that others can check out")
        results[result["name"]] = result
    return results


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def kept(promise, result):
    """Whether a promise like "value < 5" is kept."""
    what, comparison, limit = promise.split()
    measured, limit = float(result.get(what) or 0), float(limit)
    return {"<": measured < limit, "<=": measured <= limit, ">=": measured >= limit}[comparison]


def spoken(promise):
    words = promise.split()
    return " ".join([words[0], {"<": "<", "<=": "≤", ">=": "≥"}[words[1]], words[2]])


def cells(*texts):
    return "|" + "|".join(f" {text} " if text else " " for text in texts) + "|"


def row(name, meaning, promise, result):
    if result is None:
        return cells(f"`{name}`", meaning, "not measured", "", spoken(promise) if promise else "", "")
    against = promised = ""
    if result.get("ratio") is not None and result.get("baseline") not in (None, result["name"]):
        against = f"{number(result['ratio'])} × `{result['baseline'].partition('/')[2]}`"
    if promise:
        promised = f"{spoken(promise)}: {'kept' if kept(promise, result) else '**missed**'}"
    return cells(f"`{name}`", meaning, f"{number(result['value'])} {result['unit']}", against, promised,
                 f"{str(result['commit'])[:12]}, {result['load']:.2f}")


def grid(bench, cases, results):
    """The lines of the benchmark's second table; none where nothing has such counters."""
    if bench not in GRIDS:
        return []
    title, pattern, headings = GRIDS[bench]
    rows, columns = {}, [case for case in cases if f"{bench}/{case}" in results]
    for case in columns:
        for key, value in results[f"{bench}/{case}"].items():
            if found := re.fullmatch(pattern, key):
                place = tuple(int(part) if part.isdigit() else part for part in found.groups())
                rows.setdefault(place, {})[case] = f"{value:.2f}"
    if not rows:
        return []
    columns = [case for case in columns if any(case in values for values in rows.values())]
    return [title, "", cells(*headings, *(f"`{case}`" for case in columns)),
            "|---" * (len(headings) + len(columns)) + "|",
            *(cells(*map(str, row), *(values.get(case, "") for case in columns))
              for row, values in sorted(rows.items())), ""]


def page(results):
    lines = []
    for bench, cases in BENCHES.items():
        extra = [name.partition("/")[2] for name in results if name.startswith(f"{bench}/")]
        cases = cases | {case: ("", None) for case in sorted(extra) if case not in cases}
        lines += [f"## {bench}", "", f"`scripts/bench.sh {bench}`", "",
                  "| case | what | measured | compared | promised | commit, load |", "|---|---|---|---|---|---|"]
        lines += [row(case, meaning, promise, results.get(f"{bench}/{case}"))
                  for case, (meaning, promise) in cases.items()]
        lines += ["", *grid(bench, cases, results)]
    unknown = sorted({name.partition("/")[0] for name in results} - BENCHES.keys())
    if unknown:
        raise Refused(f"no place for the benchmarks {', '.join(unknown)}: add them to BENCHES in results.py")
    machines = sorted({result["machine"] for result in results.values()})
    lines.append(f"Measured on: {'; '.join(machines)}." if machines else "Nothing has been measured yet.")
    return "\n".join(lines)


def with_page(text, results):
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:begin]}\n{page(results)}\n{text[end:]}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(arguments):
    data, readme = os.path.join(FOLDER, "results.jsonl"), os.path.join(FOLDER, "README.md")
    try:
        results = parse(read(data), data) if os.path.exists(data) else {}
        if len(arguments) == 2 and arguments[0] == "add":
            results |= parse(read(arguments[1]), arguments[1])
        elif arguments not in ([], ["--write"]):
            raise Refused(f"arguments are {arguments}, expected add FILE, --write or nothing")
        text = read(readme)
        wanted = with_page(text, results)
    except Refused as error:
        print(f"results: {error}")
        return 2
    if not arguments:
        if text != wanted:
            print("results: docs/results/README.md is not what results.jsonl says; run results.py --write")
        return 0 if text == wanted else 1
    if results:
        with open(data, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(results[name]) + "\n" for name in sorted(results))
    with open(readme, "w", encoding="utf-8") as file:
        file.write(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
