#!/usr/bin/env python3
"""policies.py [ROOT]: one file, one policy, one page, one scenario folder.

A policy is a header src/core/ROOM/NAME_policy.h. It needs docs/policies/NAME.md, linked from
docs/policies/README.md, and a folder test/scenario/NAME/ with a scenario; and each page needs its
header. What is no choice among policies (the placement search) has its page for src/core/ROOM/NAME.h."""

import os
import sys
from glob import glob


def check(root):
    named = {os.path.basename(p)[:-len("_policy.h")]: os.path.relpath(p, root)
             for p in glob(os.path.join(root, "src/core/*/*_policy.h"))}
    pages = {os.path.basename(p)[:-len(".md")]: p
             for p in glob(os.path.join(root, "docs/policies/*.md"))}
    pages.pop("README", None)
    index = os.path.join(root, "docs/policies/README.md")
    listed = open(index, encoding="utf-8").read() if os.path.exists(index) else ""
    problems = []
    for name, header in sorted(named.items()):
        if name not in pages:
            problems.append(f"{header}: no page docs/policies/{name}.md")
        if not glob(os.path.join(root, f"test/scenario/{name}/*.scn")):
            problems.append(f"{header}: no scenario test/scenario/{name}/*.scn")
    for name in sorted(pages):
        if name not in named and not glob(os.path.join(root, f"src/core/*/{name}.h")):
            problems.append(f"docs/policies/{name}.md: no header src/core/*/{name}_policy.h")
        if f"({name}.md)" not in listed:
            problems.append(f"docs/policies/{name}.md: not linked from docs/policies/README.md")
    return problems


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    problems = check(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
