#!/usr/bin/env python3
"""counts.py ctest FILE | go FILE | gotext FILE: names the tests that failed and counts them all.

Reads the JUnit file of ctest, or the stream of `go test -json`. Prints `FAILED: name` for each test
that failed and, as its last line, `N passed, N failed` with `, N skipped` where there are any. `gotext` prints
what the tests of a `go test -json` stream printed.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]")  # not allowed in XML, but tests print it


def ctest(text):
    """Test name -> passed, failed or skipped. A test whose program is missing did not run: it failed."""
    result = {}
    for case in ElementTree.fromstring(CONTROL.sub("?", text)).iter("testcase"):
        status, skipped = case.get("status"), case.find("skipped")
        if status == "run":
            kind = "passed"
        elif status == "disabled" or (skipped is not None
                                      and skipped.get("message", "").startswith("SKIP_")):
            kind = "skipped"
        else:
            kind = "failed"
        result[case.get("name")] = kind
    return result


def go(text):
    """Leaf test name -> passed, failed or skipped. A package that fails without a failed test (build
    failure, panic outside of tests) and a line that is not JSON from a crash count as one failure."""
    ends = {"pass": "passed", "fail": "failed", "skip": "skipped"}
    tests, packages = {}, {}
    for line in filter(None, text.split("\n")):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        package, test, action = event.get("Package"), event.get("Test"), event.get("Action")
        if package is None:
            continue
        if test and action == "run":
            tests.setdefault((package, test), "failed")  # until it ends
        elif test and action in ends:
            tests[package, test] = ends[action]
        elif not test and action in ends:
            packages[package] = ends[action]
    parents = {(package, test.rpartition("/")[0]) for package, test in tests}
    result = {f"{p} {t}": kind for (p, t), kind in tests.items()
              if (p, t) not in parents or (kind == "failed" and not _child_failed(tests, p, t))}
    for package, kind in packages.items():
        if kind == "failed" and not any(p == package and k == "failed"
                                        for (p, _), k in tests.items()):
            result[f"{package} (package)"] = "failed"
    return result


def go_text(text):
    for line in filter(None, text.split("\n")):
        try:
            print(json.loads(line).get("Output", ""), end="")
        except ValueError:
            print(line)


def _child_failed(tests, package, test):
    return any(p == package and t.startswith(test + "/") and kind == "failed"
               for (p, t), kind in tests.items())


def summary(result):
    count = {kind: sum(1 for k in result.values() if k == kind)
             for kind in ("passed", "failed", "skipped")}
    line = f"{count['passed']} passed, {count['failed']} failed"
    return line + (f", {count['skipped']} skipped" if count["skipped"] else "")


def main():
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        text = file.read()
    if sys.argv[1] == "gotext":
        return go_text(text)
    result = {"ctest": ctest, "go": go}[sys.argv[1]](text)
    for name, kind in sorted(result.items()):
        if kind == "failed":
            print(f"FAILED: {name}")
    print(summary(result))
    return 1 if "failed" in result.values() else 0


if __name__ == "__main__":
    sys.exit(main())
