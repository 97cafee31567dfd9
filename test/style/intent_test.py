"""The table of Intent, the lists of fields and the structs of the engine's state say the same; and the
checker finds it when they do not."""

import os
import unittest

import intent

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))

HEADER = """
struct Gang {
  explicit Gang(int c) : a(c) {}
  GangKey key;  // not; a field
  std::optional<Plan> plan;
  Time not_before{0};
  Time wake = Time::Never();
  std::map<uint64_t, std::string> evictions;  // sequence -> UID
  Outbox outbox{&counters};

  void Touch(GangId gang) { touched.insert(gang); }
  Gang& GangOf(const Member& member) { return gangs.Get(member); }
  bool InPipeline() const {
    return stage == Stage::kPlanned;
  }
  friend bool operator==(const Gang&, const Gang&) = default;
};
"""
NAMES = ["key", "plan", "not_before", "wake", "evictions", "outbox"]


def lists(names, kind="Intent"):
    return "".join(f'  visit(k{kind}, "Gang.{name}", gang.{name});\n' for name in names)


def table(*names, after="the same", reason="in an annotation of the pod"):
    cells = ", ".join(f"`Gang.{name}`" for name in names)
    return f"text\n\n| intent | after a restart | where |\n|---|---|---|\n| {cells} | {after} | {reason} |\n\ntext\n"


class Fields(unittest.TestCase):
    def test_data_members_are_found_and_functions_are_not(self):
        self.assertEqual(intent.fields_of(HEADER, "Gang"), NAMES)
        self.assertIsNone(intent.fields_of(HEADER, "Plan"))

    def test_a_new_field_must_be_listed(self):
        self.assertEqual(intent.check_fields({"Gang": HEADER}, lists(NAMES)), [])
        found = intent.check_fields({"Gang": HEADER}, lists(NAMES[1:]))
        self.assertEqual(len(found), 1)
        self.assertIn("Gang.key is missing", found[0])

    def test_a_field_that_is_gone_must_go_from_the_list(self):
        found = intent.check_fields({"Gang": HEADER}, lists(NAMES + ["gone"]))
        self.assertEqual(len(found), 1)
        self.assertIn("no field Gang.gone", found[0])

    def test_a_list_that_shows_another_field_does_not_count(self):
        wrong = lists(NAMES).replace("gang.plan", "gang.wake")
        self.assertIn("Gang.plan is missing", intent.check_fields({"Gang": HEADER}, wrong)[0])


class Table(unittest.TestCase):
    def test_every_intent_has_a_row_and_nothing_else_has(self):
        fields = lists(["plan", "wake"]) + lists(["key"], "Input")
        self.assertEqual(intent.check_table(table("plan", "wake"), fields), [])
        self.assertIn("no row for Gang.wake", intent.check_table(table("plan"), fields)[0])
        self.assertIn("Gang.key is no intent", intent.check_table(table("plan", "wake", "key"), fields)[0])

    def test_a_row_says_what_happens_and_why(self):
        fields = lists(["plan"])
        self.assertIn("expected 'the same'", intent.check_table(table("plan", after="kept"), fields)[0])
        self.assertIn("is no reason", intent.check_table(table("plan", reason="so"), fields)[0])
        self.assertIn("no table", intent.check_table("text\n", fields)[0])


class Repository(unittest.TestCase):
    def test_it_says_the_same_everywhere(self):
        self.assertEqual(intent.check(ROOT), [])

    def test_all_structs_have_fields(self):
        for struct, header in intent.STRUCTS.items():
            with open(os.path.join(ROOT, intent.ENGINE, header), encoding="utf-8") as file:
                self.assertGreater(len(intent.fields_of(file.read(), struct)), 5, struct)


if __name__ == "__main__":
    unittest.main()
