"""The page of results says what was measured and nothing else."""

import json
import os
import unittest

import bench
import results

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def line(**fields):
    result = {"name": "rpc/cycle_p99_us", "value": 1234.0, "unit": "us", "commit": "abc", "load": 0.1,
              "machine": "2 x CPU, 4 GiB", **fields}
    return json.dumps({key: value for key, value in result.items() if value is not None})


class Results(unittest.TestCase):
    def test_the_page_is_current(self):
        self.assertEqual(results.main([]), 0)

    def refused(self, text, why):
        with self.assertRaisesRegex(results.Refused, why):
            results.page(results.parse(text, "file"))

    def test_what_can_not_stand_on_the_page_is_refused(self):
        self.refused("no json", "file:1: not a JSON object")
        self.refused("\n" + line(commit=None), "file:2: rpc/cycle_p99_us: no commit")
        self.refused(line(commit="abc-dirty"), "measured on abc-dirty")
        self.refused(line(name="rpc"), "expected BENCH/CASE")
        self.refused(line(name="unheard/of"), "no place for the benchmarks unheard")

    def test_a_missed_promise_is_said(self):
        self.assertIn("| 1,234 us | | value < 1000: **missed** | abc, 0.10 |",
                      results.page(results.parse(line(), "file")))
        self.assertIn("value < 1000: kept", results.page(results.parse(line(value=999), "file")))

    def test_the_last_of_a_name_wins(self):
        page = results.page(results.parse(f"{line(value=5)}\n{line(value=7)}", "file"))
        self.assertIn("| 7 us |", page)
        self.assertNotIn("| 5 us |", page)

    def test_ratios_name_their_baseline(self):
        page = results.page(results.parse(line(
            name="bind-throughput/phalanx", value=800, unit="pods/s", baseline="bind-throughput/stock",
            ratio=5.2), "file"))
        self.assertIn("| 800 pods/s | 5.2 × `stock` | ratio ≥ 4: kept |", page)

    def test_at_most_is_a_promise_too(self):
        optimum = line(name="lingjun/leaves_over_optimum", value=1.2, unit="times", baseline="lingjun/optimum",
                       ratio=1.01)
        self.assertIn("| ratio ≤ 1.01: kept |", results.page(results.parse(optimum, "file")))
        self.assertIn("| ratio ≤ 1.01: **missed** |",
                      results.page(results.parse(optimum.replace('"ratio": 1.01', '"ratio": 1.02'), "file")))

    def test_counters_of_cells_make_a_table(self):
        text = "\n".join(line(name=f"lingjun/{case}", unit="times", leaves_50pct_16hosts=value,
                              leaves_50pct_8hosts=2)
                         for case, value in (("first_fit", 4.384), ("optimum", 2.99)))
        self.assertIn("| hosts occupied, % | hosts of the gang | `first_fit` | `optimum` |\n|---|---|---|---|\n"
                      "| 50 | 8 | 2.00 | 2.00 |\n| 50 | 16 | 4.38 | 2.99 |\n",
                      results.page(results.parse(text, "file")))
        self.assertNotIn("hosts of the gang", results.page({}))

    def test_what_is_not_measured_is_said(self):
        self.assertIn("| not measured |", results.page({}))

    def test_a_new_case_of_a_known_benchmark_is_shown(self):
        self.assertIn("| `extra` |", results.page(results.parse(line(name="rpc/extra"), "file")))


class Machine(unittest.TestCase):
    def test_every_result_says_where_it_was_measured(self):
        self.assertRegex(bench.machine(), r"^\d+ x .+, \d+ GiB$")


if __name__ == "__main__":
    unittest.main()
