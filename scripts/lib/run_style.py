#!/usr/bin/env python3
"""run_style.py: runs the Python tests of test/style and prints their count as the last line."""

import os
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def main():
    sys.path.insert(0, os.path.join(ROOT, "scripts/lib"))
    sys.dont_write_bytecode = True
    suite = unittest.defaultTestLoader.discover(os.path.join(ROOT, "test/style"), "*_test.py")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    bad = [case for case, _ in result.failures + result.errors] + result.unexpectedSuccesses
    for case in bad:
        print(f"FAILED: {case}")
    skipped = len(result.skipped)
    passed = result.testsRun - len(set(map(str, bad))) - skipped
    print(f"{passed} passed, {len(bad)} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
