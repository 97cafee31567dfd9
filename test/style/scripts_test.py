"""Scripts that people call explain themselves, without doing anything."""

import glob
import os
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCED = {"env.sh"}


def _scripts():
    paths = sorted(glob.glob(os.path.join(ROOT, "scripts", "*.sh")))
    return [path for path in paths if os.path.basename(path) not in SOURCED]


class ScriptsTest(unittest.TestCase):
    def test_help_is_the_comment_at_the_top(self):
        self.assertGreater(len(_scripts()), 8)
        for path in _scripts():
            with open(path, encoding="utf-8") as file:
                first = file.read().splitlines()[1].removeprefix("# ")
            for flag in ("--help", "-h"):
                with self.subTest(script=os.path.basename(path), flag=flag):
                    ran = subprocess.run([path, flag], capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    self.assertEqual(ran.stdout.splitlines()[0], first)
                    self.assertEqual(ran.stderr, "")

    def test_help_ends_where_the_comment_ends(self):
        ran = subprocess.run([os.path.join(ROOT, "scripts", "demo.sh"), "--help"], capture_output=True, text=True,
                             check=False)
        self.assertIn("demo: OK", ran.stdout)
        self.assertNotIn("set -euo", ran.stdout)


if __name__ == "__main__":
    unittest.main()
