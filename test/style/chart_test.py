"""Every value of the chart and every setting of both processes is checked, passed on and documented."""

import json
import os
import re
import unittest

import yaml

import chart_values

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# What the chart has values of its own for, so that they can't be passed on as well.
SET_BY_CHART = {"socketPath", "httpAddress", "logLevel", "accelerators", "nodeScope", "brainSocket",
                "statusWritesPerSecond",
                "heldResources"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def schema():
    return json.loads(read("deploy/helm/phalanx/values.schema.json"))


def schema_keys(node, path=()):
    """Paths of all keys that the schema of a map names; maps without named keys are leaves."""
    properties = node.get("properties")
    if not properties or path[-1:] == ("resources",):
        yield path
        return
    for key, child in properties.items():
        yield from schema_keys(child, path + (key,))


class Values(unittest.TestCase):
    def test_the_readme_is_current(self):
        self.assertEqual(chart_values.problems(read("deploy/helm/phalanx/values.yaml"),
                                               read("deploy/helm/phalanx/README.md")), [])

    def test_the_schema_knows_the_same_keys(self):
        values = yaml.safe_load(read("deploy/helm/phalanx/values.yaml"))
        ours = {path for path, _ in chart_values.leaves(values)}
        # helm's own key for subcharts; keys that are passed on stand below a leaf.
        known = {path[:2] if path[1:2] in (("extraConfig",), ("pluginArgs",)) else path
                 for path in schema_keys(schema()) if path != ("global",)}
        self.assertEqual(known, ours)

    def test_unknown_keys_are_refused_everywhere(self):
        def open_maps(node, path):
            if "properties" in node and node.get("additionalProperties") is not False:
                yield path
            for key, child in node.get("properties", {}).items():
                yield from open_maps(child, f"{path}.{key}")
        self.assertEqual(list(open_maps(schema(), "values")), [])

    def test_a_key_without_a_comment_is_found(self):
        text = "# a map\nouter:\n  # said\n  inner: 1\n  bare: 2\n"
        self.assertEqual(chart_values.rows(text), [(("outer", "inner"), 1, "said"),
                                                   (("outer", "bare"), 2, "")])
        self.assertIn("outer.bare has no comment", chart_values.problems(text, "")[0])

    def test_a_stale_table_is_found(self):
        text = "# how many\ncount: 1\n"
        readme = f"{chart_values.BEGIN}\n{chart_values.table(text)}\n{chart_values.END}"
        self.assertEqual(chart_values.problems(text, readme), [])
        self.assertEqual(len(chart_values.problems(text.replace("1", "2"), readme)), 1)

    def test_maps_of_the_users_own_keys_are_one_value(self):
        text = "# labels\nselector:\n  example.com/pool: a\n# limits\nresources:\n  limits: {cpu: 1}\n"
        self.assertEqual([path for path, _, _ in chart_values.rows(text)],
                         [("selector",), ("resources",)])


class Settings(unittest.TestCase):
    """Sources, schema and guide name the same settings."""

    def setUp(self):
        guide = read("docs/guides/configuration.md")
        self.rows = {name: set(re.findall(r"^\| `(\w+)` \|", section, re.M))
                     for name, section in (("phalanxd", guide.split("## The plugin")[0]),
                                           ("plugin", guide.split("## The plugin")[1].split("\n## ")[0]))}

    def passed_on(self, *path):
        node = schema()
        for key in path:
            node = node["properties"][key]
        return set(node["properties"])

    def test_of_phalanxd(self):
        ours = set(re.findall(r'\{"(\w+)", "--[a-z-]+"', read("src/service/settings.cc")))
        self.assertGreater(len(ours), 10)
        self.assertEqual(self.rows["phalanxd"], ours)
        self.assertEqual(self.passed_on("brain", "extraConfig"), ours - SET_BY_CHART)

    def test_of_the_plugin(self):
        ours = set(re.findall(r'`json:"(\w+),omitempty"`', read("adapter/internal/config/args.go")))
        self.assertGreater(len(ours), 5)
        self.assertEqual(self.rows["plugin"], ours)
        self.assertEqual(self.passed_on("scheduler", "pluginArgs"), ours - SET_BY_CHART)


if __name__ == "__main__":
    unittest.main()
