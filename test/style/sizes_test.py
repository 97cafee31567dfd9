"""The size checker finds functions where they are, and fails when a limit is broken."""

import os
import tempfile
import textwrap
import unittest

import sizes
from functions import cpp_functions, go_functions


def lengths(source, finder=cpp_functions):
    return [(f.name, f.line, f.length) for f in sorted(finder(textwrap.dedent(source)),
                                                       key=lambda f: f.line)]


class CppFunctions(unittest.TestCase):
    def test_free_function_and_method(self):
        self.assertEqual(lengths("""\
            namespace phalanx {
            int One() { return 1; }
            class A {
             public:
              explicit A(int x)
                  : x_(x), y_{x, 2} {
                Run();
              }
              int x() const { return x_; }
             private:
              int x_ = 0;
              std::vector<int> y_{1, 2};
            };
            }  // namespace phalanx
            """), [("One", 2, 1), ("A", 5, 4), ("x", 9, 1)])

    def test_lambda_belongs_to_its_function(self):
        self.assertEqual(lengths("""\
            void Sort(std::vector<int>& v) {
              std::sort(v.begin(), v.end(), [](int a, int b) {
                return a < b;
              });
            }
            """), [("Sort", 1, 5)])

    def test_lambda_at_namespace_scope_is_a_function(self):
        self.assertEqual(lengths("""\
            const auto kRun = [](int x) {
              return x;
            };
            const std::map<int, int> kTable = {
                {1, 2},
                {3, 4},
            };
            """), [("lambda", 1, 3)])

    def test_template_attributes_and_trailing_return(self):
        self.assertEqual(lengths("""\
            template <typename T, typename = std::enable_if_t<true>>
            [[nodiscard]] auto Get(const T& t) noexcept -> decltype(t.get()) {
              return t.get();
            }
            template <class T>
            struct Box {
              bool operator==(const Box& o) const { return v == o.v; }
              T v{};
            };
            """), [("Get", 1, 4), ("operator==", 7, 1)])

    def test_default_arguments_with_braces(self):
        self.assertEqual(lengths("""\
            void F(Options o = {}, int n = 3) {
              G(o);
            }
            """), [("F", 1, 3)])

    def test_braces_in_text_comments_and_macros_do_not_count(self):
        self.assertEqual(lengths("""\
            #define OPEN {
            const char* kA = R"x({ ")x";  // {
            char F() { return '{'; }
            int G() { return 1'000; }  /* { */
            """), [("F", 3, 1), ("G", 4, 1)])

    def test_only_the_first_branch_of_conditional_code_counts(self):
        self.assertEqual(lengths("""\
            #ifdef A
            void F() {
            #else
            void F(int) {
            #endif
            }
            """), [("F", 2, 5)])

    def test_gtest_cases_are_functions(self):
        self.assertEqual(lengths("""\
            TEST_F(Suite, Name) {
              EXPECT_EQ(1, 1);
            }
            """), [("Suite.Name", 1, 3)])

    def test_enum_and_nested_types(self):
        self.assertEqual(lengths("""\
            enum class Color : uint8_t { kRed, kBlue };
            struct alignas(8) Outer final : Base<decltype(F())> {
              struct Inner { int x = 1; };
              ~Outer() override {}
            };
            """), [("~Outer", 4, 1)])

    def test_unbalanced_source_is_reported(self):
        with self.assertRaises(ValueError):
            cpp_functions("void F() {")


class GoFunctions(unittest.TestCase):
    def test_functions_methods_and_closures(self):
        self.assertEqual(lengths("""\
            package x

            func One() int { return 1 }

            func (p *Plugin) Run(ctx context.Context) error {
            \tgo func() {
            \t\tp.x()
            \t}()
            \treturn nil
            }

            var text = `
            func NotOne() {
            }
            `
            """, go_functions), [("One", 3, 1), ("Run", 5, 6)])

    def test_generic_function(self):
        self.assertEqual(lengths("""\
            func Map[K comparable, V any](m map[K]V) []V {
            \treturn nil
            }
            """, go_functions), [("Map", 1, 3)])


class Limits(unittest.TestCase):
    def problems(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            return sizes.check(root)[0]

    def body(self, lines):
        return "void F() {\n" + "  x();\n" * (lines - 2) + "}\n"

    def test_small_code_passes(self):
        self.assertEqual(self.problems({"src/core/base/a.cc": self.body(10)}), [])

    def test_function_over_the_limit(self):
        small = "".join(self.body(3) for _ in range(40))
        self.assertEqual(self.problems({"src/a/a.cc": small + self.body(70)}), [])
        self.assertIn("F has 71 lines", self.problems({"src/a/a.cc": small + self.body(71)})[0])

    def test_limit_holds_for_tests(self):
        self.assertIn("F has 71 lines", self.problems({"test/unit/a_test.cc": self.body(71)})[0])
        go = "func F() {\n" + "\tx()\n" * 70 + "}\n"
        self.assertIn("F has 72 lines", self.problems({"adapter/a_test.go": go})[0])

    def test_median(self):
        self.assertIn("median function has 11", self.problems({"src/a/a.cc": self.body(11)})[0])

    def test_percentile(self):
        text = "".join(self.body(3) for _ in range(10)) + self.body(60)
        self.assertIn("95th percentile", self.problems({"src/a/a.cc": text})[0])

    def test_file_and_header(self):
        self.assertEqual(self.problems({"src/a/a.cc": "\n" * 500, "src/a/a.h": "\n" * 250}), [])
        self.assertIn("501 lines", self.problems({"src/a/a.cc": "\n" * 501})[0])
        self.assertIn("251 lines", self.problems({"include/phalanx/a.h": "\n" * 251})[0])

    def test_adapter_budget_leaves_out_tests_comments_and_generated_code(self):
        code = "var x = 1\n" * (sizes.ADAPTER // 8) + "// comment\n"
        files = {f"adapter/internal/a/f{i}.go": code for i in range(8)}
        files["adapter/internal/gen/g.go"] = code
        files["adapter/internal/a/a_test.go"] = code
        files["adapter/cmd/kubectl-phalanx/main.go"] = code
        self.assertEqual(self.problems(files), [])
        files["adapter/internal/a/f8.go"] = code
        self.assertIn("the adapter has", self.problems(files)[0])


if __name__ == "__main__":
    unittest.main()
