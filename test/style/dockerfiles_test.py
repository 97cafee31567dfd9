"""The check of Dockerfiles refuses what would only fail in a cluster, and takes what we ship."""

import glob
import os
import tempfile
import unittest
from unittest import mock

import dockerfiles

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))

GOOD = """\
# comment
FROM debian:12 AS build
COPY scripts/setup.sh scripts/
RUN apt-get update \\
 && apt-get install -y --no-install-recommends \\
      libc6 \\
 && true
FROM debian:12-slim
COPY --from=build /out /usr/local/bin/program
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/program"]
"""


class DockerfilesTest(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(ROOT)

    def check(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".Dockerfile") as file:
            file.write(text)
            file.flush()
            dockerfiles.check(file.name)

    def refuse(self, old, new, why):
        self.assertIn(old, GOOD)
        with self.assertRaisesRegex(dockerfiles.Refused, why):
            self.check(GOOD.replace(old, new))

    def test_takes_a_good_one(self):
        self.check(GOOD)

    def test_takes_ours(self):
        ours = glob.glob("deploy/images/*.Dockerfile")
        self.assertEqual(len(ours), 2)
        for path in ours:
            dockerfiles.check(path)

    def test_refuses_with_line_and_value(self):
        self.refuse("COPY scripts/setup.sh", "COPY scripts/no.sh", r":3: COPY scripts/no\.sh")

    def test_refuses_unknown_instruction(self):
        self.refuse("USER", "USR", "unknown instruction USR")

    def test_refuses_root(self):
        self.refuse("65532:65532", "0", "USER 0")

    def test_refuses_a_name_for_a_user(self):
        self.refuse("65532:65532", "nobody", "USER nobody")

    def test_refuses_no_user(self):
        self.refuse("USER 65532:65532\n", "", "has no USER")

    def test_refuses_a_user_of_an_earlier_stage_only(self):
        self.refuse("USER 65532:65532\n", "FROM debian:12-slim\n", "has no USER")

    def test_refuses_a_shell_entrypoint(self):
        self.refuse('["/usr/local/bin/program"]', "/usr/local/bin/program", "JSON list")

    def test_refuses_broken_json(self):
        self.refuse('program"]', "program]", "JSON list|not a JSON")

    def test_refuses_a_floating_tag(self):
        self.refuse("debian:12-slim", "debian:latest", "fixed tag")

    def test_refuses_an_unknown_stage(self):
        self.refuse("--from=build", "--from=built", "no earlier stage")

    def test_refuses_a_package_name_that_is_none(self):
        self.refuse("libc6", "lib_c6", "not the name of a package")

    def test_refuses_a_package_that_debian_has_not(self):
        with mock.patch("dockerfiles.debian_packages", return_value=frozenset(["libc6"])):
            self.check(GOOD)
            self.refuse("libc6", "libc7", "Debian 12 has no package libc7")

    def test_does_not_ask_an_apt_without_lists(self):
        dockerfiles.debian_packages.cache_clear()
        self.addCleanup(dockerfiles.debian_packages.cache_clear)
        with mock.patch("dockerfiles.glob.glob", return_value=[]):
            self.assertEqual(dockerfiles.debian_packages(), frozenset())

    def test_refuses_a_continued_last_line(self):
        with self.assertRaisesRegex(dockerfiles.Refused, "continued"):
            self.check(GOOD + "RUN true \\")


if __name__ == "__main__":
    unittest.main()
