"""Counting of tests, links of the documents, pages of policies, what clang-tidy checks again."""

import json
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import counts
import doc_links
import policies
import tidy

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def write(root, files):
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)


class Ctest(unittest.TestCase):
    def test_each_status(self):
        result = counts.ctest("""<testsuite>
            <testcase name="a" status="run"><system-out>\x1b[1m</system-out></testcase>
            <testcase name="b" status="fail"><failure message=""/></testcase>
            <testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
            </testcase>
            <testcase name="d" status="disabled"/>
            <testcase name="e" status="notrun"><skipped message="Unable to find executable"/>
            </testcase></testsuite>""")
        self.assertEqual(result, {"a": "passed", "b": "failed", "c": "skipped", "d": "skipped",
                                  "e": "failed"})
        self.assertEqual(counts.summary(result), "1 passed, 2 failed, 2 skipped")


class Go(unittest.TestCase):
    def count(self, *events):
        return counts.go("\n".join(
            e if isinstance(e, str) else json.dumps(dict(zip(("Action", "Package", "Test"), e)))
            for e in events))

    def test_leaves_are_counted(self):
        result = self.count(("run", "p", "T"), ("run", "p", "T/a"), ("pass", "p", "T/a"),
                            ("run", "p", "T/b"), ("fail", "p", "T/b"), ("fail", "p", "T"),
                            ("fail", "p"))
        self.assertEqual(result, {"p T/a": "passed", "p T/b": "failed"})

    def test_parent_that_fails_by_itself_counts(self):
        result = self.count(("run", "p", "T"), ("run", "p", "T/a"), ("pass", "p", "T/a"),
                            ("fail", "p", "T"), ("fail", "p"))
        self.assertEqual(result, {"p T/a": "passed", "p T": "failed"})

    def test_package_that_does_not_build_counts(self):
        self.assertEqual(self.count("# p", ("fail", "p")), {"p (package)": "failed"})

    def test_test_that_never_ended_failed(self):
        self.assertEqual(self.count(("run", "p", "T"), "panic: x"), {"p T": "failed"})

    def test_nothing_is_not_a_pass(self):
        self.assertEqual(counts.summary(self.count(("skip", "p"))), "0 passed, 0 failed")


class Suites(unittest.TestCase):
    def run_suites(self, *commands):
        with tempfile.TemporaryDirectory() as logs:
            script = f"set -euo pipefail; suites_logs={logs}; source {ROOT}/scripts/lib/suites.sh\n"
            script += "\n".join(commands) + "\nsuites_end\n"
            run = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
            return run.returncode, run.stdout.strip().split("\n")

    def test_counts_are_added(self):
        status, lines = self.run_suites("suites_run a echo 3 passed, 0 failed",
                                        "suites_run b echo 2 passed, 0 failed, 1 skipped")
        self.assertEqual((status, lines[-1]), (0, "5 passed, 0 failed, 1 skipped"))

    def test_failures_are_named(self):
        status, lines = self.run_suites(
            "suites_run a bash -c 'echo FAILED: x y; echo 1 passed, 1 failed; exit 1'")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertTrue(lines[-2].startswith("FAILED: a: x y (log: "), lines)

    def test_crash_without_a_count_fails(self):
        status, lines = self.run_suites("suites_run a bash -c 'echo boo; exit 0'")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_status_that_contradicts_the_count_fails(self):
        status, lines = self.run_suites("suites_run a bash -c 'echo 4 passed, 0 failed; exit 3'")
        self.assertEqual((status, lines[-1]), (1, "4 passed, 1 failed"))

    def test_no_tests_fails(self):
        status, lines = self.run_suites("suites_run a echo 0 passed, 0 failed")
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))
        self.assertEqual(self.run_suites()[0], 1)

    def test_step_counts_as_one(self):
        status, lines = self.run_suites("suites_step a true", "suites_step b false || true")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))


class Links(unittest.TestCase):
    def problems(self, files):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            write(root, files)
            return doc_links.check(root)

    def test_good_links(self):
        self.assertEqual(self.problems({
            "a.md": "# A b\n[x](docs/b.md#the-end-1) [y](#a-b) [z](https://x.y) ![i](docs/)\n"
                    "`[no](gone.md)`\n```\n[no](gone.md)\n```\n",
            "docs/b.md": "# The end\n## The `end`\n[up](../a.md)\n"}), [])

    def test_missing_file_and_heading(self):
        found = self.problems({"a.md": "# A\n[x](gone.md)\n[y](#b)\n[z](../../etc/passwd)\n"})
        self.assertEqual([p.split(": ")[0] for p in found], ["a.md:2", "a.md:3", "a.md:4"])


class Policies(unittest.TestCase):
    def test_page_scenario_and_header_belong_together(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, {"src/core/plan/aging_policy.h": "", "docs/policies/other.md": "",
                         "docs/policies/README.md": ""})
            found = policies.check(root)
            self.assertEqual(len(found), 4, found)
            os.remove(os.path.join(root, "docs/policies/other.md"))
            write(root, {"docs/policies/aging.md": "", "test/scenario/aging/a.scn": "",
                         "docs/policies/README.md": "[aging](aging.md)"})
            self.assertEqual(policies.check(root), [])

    def test_repository(self):
        self.assertEqual(policies.check(ROOT), [])


class Tidy(unittest.TestCase):
    def test_units_follow_their_headers(self):
        with tempfile.TemporaryDirectory() as root, mock.patch("tidy.ROOT", root):
            commands = [{"command": f"g++ -o {name}.o -c {root}/{name}", "file": f"{root}/{name}"}
                        for name in ("src/a.cc", "test/b.cc")]
            write(root, {"src/a.h": "1", "src/a.cc": "", "test/b.cc": "",
                         "build/compile_commands.json": json.dumps(commands)})
            with mock.patch("tidy.dependencies", return_value={"src/a.cc.o": [f"{root}/src/a.h"]}):
                before = list(tidy.units(f"{root}/build"))
                self.assertEqual([path for path, _ in before], [f"{root}/src/a.cc"])
                self.assertEqual(before, list(tidy.units(f"{root}/build")))
                write(root, {"src/a.h": "2"})
                self.assertNotEqual(before, list(tidy.units(f"{root}/build")))


if __name__ == "__main__":
    unittest.main()
