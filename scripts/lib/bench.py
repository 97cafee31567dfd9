#!/usr/bin/env python3
"""bench.py OUT RESULT.json...: turns results of Google Benchmark into Phalanx's own.

Appends one JSON object a line to OUT for each case, and prints a table. A case's value is its
counter `p99_ms` where it has one, else the real time of an iteration; in microseconds where its name
ends in `_us`, and the counter `mib` where it ends in `_mib`. The label of a case may say
`baseline=CASE` (of the same program, else the case is its own baseline), and further KEY=VALUE pairs,
which are passed on, as are all other counters.
"""
import json
import os
import re
import subprocess
import sys

# What Google Benchmark itself says about a run; everything else that is a number is a counter.
OWN = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
       "iterations", "real_time", "cpu_time"}

# Units of a case and of its baseline that differ by a factor.
SCALES = {("us", "ms"): 1e-3, ("ms", "us"): 1e3}


def commit():
    found = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def machine():
    """Processors and memory of this machine, as test/bench/system writes them too."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as file:
        kib = int(re.search(r"^MemTotal:\s*(\d+) kB$", file.read(), re.M).group(1))
    return f"{os.cpu_count()} x {model.group(1) if model else 'unknown'}, {round(kib / 2**20)} GiB"


def read(path):
    """The cases of one program: BENCH/CASE, value, unit and what else they say."""
    bench = os.path.basename(path).removesuffix(".json")
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    runs, load = result["benchmarks"], result["context"]["load_avg"]
    cases = {}
    for run in runs:
        if run.get("run_type") == "aggregate":
            continue
        if run.get("error_occurred"):
            sys.exit(f"bench: {bench}/{run['name']} failed: {run.get('error_message')}")
        said = dict(word.split("=", 1) for word in run.get("label", "").split() if "=" in word)
        counters = {key: value for key, value in run.items()
                    if key not in OWN and isinstance(value, (int, float))}
        case = run["name"].split("/")[0]
        value, unit = run["real_time"], run["time_unit"]
        if case.endswith("_mib"):
            value, unit = counters.pop("mib"), "MiB"
        elif "p99_ms" in counters:
            value, unit = counters.pop("p99_ms"), "ms"
            if case.endswith("_us"):
                value, unit = value * 1000, "us"
        cases[case] = {"name": f"{bench}/{case}", "value": value, "unit": unit,
                       "load": load[0] if load else -1, **counters, **said}
    return cases


def finish(cases, stamp):
    for case, entry in cases.items():
        against = entry.get("baseline", case)
        if against not in cases:
            sys.exit(f"bench: {entry['name']} has the baseline '{against}', which was not run")
        base = cases[against]
        scale = SCALES.get((entry["unit"], base["unit"]), entry["unit"] == base["unit"])
        if not scale:
            sys.exit(f"bench: {entry['name']} is in {entry['unit']}, its baseline in {base['unit']}")
        ratio = round(scale * entry["value"] / base["value"], 6) if base["value"] else None
        entry.update(baseline=base["name"], ratio=ratio, commit=stamp,
                     machine=machine())
    return list(cases.values())


def table(entries):
    rows = [("name", "value", "unit", "ratio", "baseline", "more")]
    for entry in entries:
        more = " ".join(f"{key}={value:.6g}" if isinstance(value, float) else f"{key}={value}"
                        for key, value in entry.items()
                        if key not in ("name", "value", "unit", "ratio", "baseline", "commit",
                                       "machine"))
        rows.append((entry["name"], f"{entry['value']:.4g}", entry["unit"], str(entry["ratio"]),
                     entry["baseline"], more))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        print("  ".join([cell.ljust(width) for cell, width in zip(row, widths)] + [row[5]]).rstrip())


def main(out, *results):
    stamp = commit()
    entries = [entry for path in results for entry in finish(read(path), stamp)]
    with open(out, "a", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps(entry) + "\n")
    table(entries)


if __name__ == "__main__":
    main(*sys.argv[1:])
