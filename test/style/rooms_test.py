"""The checker of include directions and pureness passes what is allowed and fails on what is not."""

import os
import unittest

import rooms

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def problems(path, text):
    return rooms.check_text(path, text)


class Direction(unittest.TestCase):
    def allowed(self, path, include):
        self.assertEqual(problems(path, f'#include "{include}"\n'), [])

    def refused(self, path, include, word="must not include"):
        found = problems(path, f'// first\n#include "{include}"\n')
        self.assertEqual(len(found), 1, found)
        self.assertIn(word, found[0])
        self.assertIn(f"{path}:2", found[0])

    def test_rooms_look_back_only(self):
        self.allowed("src/core/plan/a.cc", "core/place/placement.h")
        self.refused("src/core/place/a.cc", "core/plan/pass.h")
        self.refused("src/core/base/a.h", "core/cluster/ledger.h")
        self.allowed("src/core/engine/a.cc", "core/plan/pass.h")
        self.refused("src/core/plan/a.cc", "core/engine/engine_state.h")

    def test_judge_is_not_for_those_it_judges(self):
        self.refused("src/core/place/a.cc", "core/judge/judge.h")
        self.allowed("src/core/judge/a.cc", "core/place/placement.h")

    def test_judge_and_explain_see_the_engines_state_only(self):
        for room in ("judge", "explain"):
            self.allowed(f"src/core/{room}/a.cc", "core/engine/gang_state.h")
            self.refused(f"src/core/{room}/a.cc", "core/engine/life.h")

    def test_core_knows_no_shell(self):
        for shell in ("wire/convert.h", "runtime/mailbox.h", "service/http.h", "sim/world.h"):
            self.refused("src/core/engine/a.cc", shell)

    def test_shells(self):
        self.allowed("src/wire/a.cc", "core/engine/engine.h")
        self.allowed("src/service/a.cc", "runtime/mailbox.h")
        self.allowed("src/sim/a.cc", "wire/convert.h")
        self.refused("src/runtime/a.cc", "wire/convert.h")
        self.refused("src/wire/a.cc", "runtime/mailbox.h")
        self.refused("src/sim/a.cc", "runtime/mailbox.h")

    def test_public_headers_stand_alone(self):
        self.allowed("include/phalanx/a.h", "phalanx/ids.h")
        self.refused("include/phalanx/a.h", "core/base/interner.h")

    def test_generated_messages(self):
        self.allowed("src/wire/a.cc", "phalanx/v1alpha1/cluster.pb.h")
        self.refused("src/sim/a.cc", "phalanx/v1alpha1/cluster.pb.h", "wire and service only")

    def test_runtime_has_no_grpc(self):
        self.refused("src/runtime/a.cc", "grpcpp/grpcpp.h", "links no gRPC")

    def test_unknown_room(self):
        self.assertIn("no such room", problems("src/core/misc/a.cc", "")[0])


class Pureness(unittest.TestCase):
    def refused(self, line):
        for path in ("src/core/plan/a.cc", "include/phalanx/a.h"):
            found = problems(path, line + "\n")
            self.assertTrue(found, line)
            self.assertIn(":1", found[0])

    def test_what_the_core_must_not_use(self):
        for line in ("auto t = absl::Now();", "std::chrono::system_clock::now();",
                     "std::chrono::steady_clock::now();", "std::thread t;", "std::mutex m;",
                     "int x = rand();", "std::random_device d;", "double ratio = 1;",
                     "float f(int);", "#include <mutex>", "#include <thread>", "#include <random>",
                     "#include <chrono>", "#include <grpcpp/grpcpp.h>",
                     "#include <nlohmann/json.hpp>", '#include "spdlog/spdlog.h"',
                     'spdlog::info("x");', '#include "phalanx/v1alpha1/objects.pb.h"'):
            self.refused(line)

    def test_words_in_comments_and_text_are_fine(self):
        self.assertEqual(problems("src/core/plan/a.cc",
                                  '// no double, no std::mutex\nauto x = "double";\n'), [])

    def test_longer_names_are_fine(self):
        self.assertEqual(problems("src/core/plan/a.cc", "int doubled = brand(1);\n"), [])

    def test_shells_may(self):
        self.assertEqual(problems("src/runtime/a.cc", "#include <mutex>\nstd::mutex m;\n"), [])


class Repository(unittest.TestCase):
    def test_includes_go_the_allowed_way(self):
        self.assertEqual(rooms.check(ROOT), [])


if __name__ == "__main__":
    unittest.main()
