#!/usr/bin/env python3
"""chart_values.py [--write]: the table of values in the chart's README, made from values.yaml.

Each key of values.yaml has a comment above it, which is its documentation. Without --write it only
tells whether README.md is current; status 1 if not, or if a key has no comment.
"""

import json
import os
import re
import sys

import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CHART = os.path.join(ROOT, "deploy/helm/phalanx")
BEGIN = "<!-- made from values.yaml by scripts/lib/chart_values.py --write -->"
END = "<!-- end of the table -->"
KEY = re.compile(r"^( *)([A-Za-z0-9_./-]+):(?:\s|$)")
NAME = re.compile(r"^[a-z][A-Za-z0-9]*$")


def is_leaf(path, value):
    """A value that is documented as a whole: no map, or one whose keys its user chooses."""
    return (not isinstance(value, dict) or not value or path[-1] == "resources"
            or not all(NAME.match(key) for key in value))


def comments(text):
    """Key path -> the comment right above it."""
    found, stack, block = {}, [], []
    for line in text.split("\n"):
        if line.strip().startswith("#"):
            block.append(line.strip().lstrip("#").strip())
            continue
        match = KEY.match(line)
        if match:
            indent = len(match.group(1))
            stack = [entry for entry in stack if entry[0] < indent] + [(indent, match.group(2))]
            found[tuple(key for _, key in stack)] = " ".join(block)
        block = []
    return found


def leaves(values, path=()):
    for key, value in values.items():
        here = path + (key,)
        if is_leaf(here, value):
            yield here, value
        else:
            yield from leaves(value, here)


def rows(text):
    """(path, default, documentation); a key of its own line without documentation has ""."""
    said = comments(text)
    return [(path, value, said.get(path, "")) for path, value in leaves(yaml.safe_load(text))]


def table(text):
    lines = ["| value | default | meaning |", "|---|---|---|"]
    for path, value, meaning in rows(text):
        default = f"`{json.dumps(value)}`" if value not in ("", {}, []) else "empty"
        if isinstance(value, list) and len(value) > 3:
            default = f"{len(value)} entries"
        parents = [comments(text).get(path[:i], "") for i in range(1, len(path))]
        if path[-1] in ("enabled", "create") and parents and parents[-1]:
            meaning = f"{parents[-1]} {meaning}"
        lines.append(f"| `{'.'.join(path)}` | {default} | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def problems(values, readme):
    """What keeps the README from saying what values.yaml says."""
    out = [f"values.yaml: {'.'.join(path)} has no comment above it"
           for path, _, meaning in rows(values) if not meaning]
    if f"{BEGIN}\n{table(values)}\n{END}" not in readme:
        out.append("README.md: its table is not what values.yaml says; run scripts/lib/chart_values.py --write")
    return out


def main(arguments):
    with open(os.path.join(CHART, "values.yaml"), encoding="utf-8") as file:
        values = file.read()
    path = os.path.join(CHART, "README.md")
    with open(path, encoding="utf-8") as file:
        readme = file.read()
    if arguments == ["--write"]:
        begin, end = readme.index(BEGIN), readme.index(END)
        readme = readme[:begin] + f"{BEGIN}\n{table(values)}\n" + readme[end:]
        with open(path, "w", encoding="utf-8") as file:
            file.write(readme)
    found = problems(values, readme)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
