"""The guides list every metric and every reason, and name no other metric."""

import glob
import os
import re
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def made():
    """Names of the metrics that both processes make."""
    brain = "".join(read(path) for path in glob.glob("src/service/*.cc", root_dir=ROOT))
    adapter = read("adapter/internal/metrics/metrics.go")
    subsystem = re.search(r'subsystem\s*=\s*"(\w+)"', adapter).group(1)
    return (set(re.findall(r'"(phalanx_[a-z_]+)"', brain))
            | {f"{subsystem}_{name}" for name in re.findall(r'Name: "(\w+)"', adapter)})


def listed():
    """Names in the first column of the guide's tables; `a_b`, `_c` stands for a_b and a_c."""
    names = set()
    for row in re.findall(r"^\| (`phalanx_[^|]*) \|", read("docs/guides/configuration.md"), re.M):
        first, *rest = re.findall(r"`(\w+)`", row)
        names.add(first)
        for name in rest:
            names.add(name if name.startswith("phalanx_") else first.rsplit("_", 1)[0] + name)
    return names


class Metrics(unittest.TestCase):
    def test_all_are_listed(self):
        self.assertGreater(len(made()), 30)
        self.assertEqual(listed(), made())

    def test_the_operator_guide_names_real_ones(self):
        named = set(re.findall(r"`(phalanx_[a-z_]+)", read("docs/guides/operator.md")))
        self.assertGreater(len(named), 5)
        self.assertLessEqual(named, made())


def codes():
    source = read("src/core/explain/names.cc").split("ReasonName(", 1)[1].split("\n}", 1)[0]
    return set(re.findall(r'return "(\w+)"', source)) - {"None", "Unknown", "Syncing"}


class Reasons(unittest.TestCase):
    def test_the_author_guide_explains_all(self):
        self.assertGreater(len(codes()), 10)
        table = read("docs/guides/author.md").split("| reason |", 1)[1].split("\n\n", 1)[0]
        self.assertEqual(codes() - set(re.findall(r"`(\w+)`", table)), set())

    def test_the_description_of_the_kind_lists_all(self):
        crd = read("deploy/helm/phalanx/files/crds/phalanx.dev_gangs.yaml")
        words = crd.split("Why it waits, as a stable word:", 1)[1].split(".", 1)[0]
        self.assertEqual(set(re.findall(r"\w+", words)), codes())


if __name__ == "__main__":
    unittest.main()
