"""dockerfiles.py FILE...: checks Dockerfiles without a container engine.

Known instructions and flags; JSON where a list is meant; FROM with a fixed tag and, for COPY --from, a
stage that exists; every copied file exists in the repository; the image ends as a numeric user that is
not root, with an ENTRYPOINT that runs a program and not a shell; Debian packages exist.
"""

import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys

INSTRUCTIONS = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT", "CMD", "ENV", "ARG", "LABEL",
                "EXPOSE", "STOPSIGNAL"}
PACKAGE = re.compile(r"^[a-z0-9][a-z0-9.+-]+$")


class Refused(Exception):
    pass


def instructions(text):
    """(line number, instruction, rest) with continued lines joined and comments left out."""
    start, parts = None, []
    for number, line in enumerate(text.split("\n"), 1):
        if not parts and not line.strip() or line.lstrip().startswith("#"):
            continue
        start = start or number
        parts.append(line.strip().rstrip("\\").strip())
        if line.rstrip().endswith("\\"):
            continue
        word, _, rest = " ".join(parts).partition(" ")
        yield start, word, rest.strip()
        start, parts = None, []
    if parts:
        raise Refused("the last line is continued, but nothing follows")


def words(rest):
    """The words of an instruction: of its JSON list, or as a shell would split them."""
    if rest.startswith("["):
        try:
            return json.loads(rest)
        except ValueError as error:
            raise Refused(f"not a JSON list: {rest} ({error})") from error
    return rest.split()


def check_from(rest, stages):
    match = re.fullmatch(r"(\S+)(?:\s+AS\s+(\S+))?", rest)
    if not match:
        raise Refused(f"FROM {rest}: expected IMAGE:TAG [AS STAGE]")
    image, stage = match.groups()
    if image not in stages and (":" not in image or image.endswith(":latest")):
        raise Refused(f"FROM {image}: expected a fixed tag")
    stages.append(stage or "")


def check_copy(rest, stages):
    flags = [w for w in words(rest) if w.startswith("--")]
    paths = [w for w in words(rest) if not w.startswith("--")]
    if len(paths) < 2:
        raise Refused(f"COPY {rest}: expected sources and a target")
    for flag in flags:
        if not flag.startswith("--from="):
            raise Refused(f"COPY {flag}: expected --from=STAGE or no flag")
        if flag[len("--from="):] not in stages[:-1]:
            raise Refused(f"COPY {flag}: no earlier stage of that name, only {stages[:-1]}")
        return
    for path in paths[:-1]:
        if not glob.glob(path):
            raise Refused(f"COPY {path}: there is no such file in the repository")


def check_packages(rest):
    """Packages of Debian 12 that apt does not know; apt is asked only where it is Debian 12's."""
    match = re.search(r"apt-get install ((?:-\S+ +)*)([^&;|]+)", rest)
    if not match:
        return
    names = match.group(2).split()
    for name in names:
        if not PACKAGE.match(name):
            raise Refused(f"apt-get install {name}: not the name of a package")
    missing = sorted(set(names) - debian_packages()) if debian_packages() else []
    if missing:
        raise Refused(f"apt-get install: Debian 12 has no package {', '.join(missing)}")


@functools.cache
def debian_packages():
    """All packages of Debian 12; none where apt can't know them: another system, or one without lists
    (a slim image), which would take every package that is not installed for a mistake."""
    if not glob.glob("/var/lib/apt/lists/*_Packages*"):
        return frozenset()
    with open("/etc/os-release", encoding="utf-8") as file:
        if "bookworm" not in file.read() or not shutil.which("apt-cache"):
            return frozenset()
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True)
    return frozenset(known.stdout.split())


def check_user(rest):
    if not re.fullmatch(r"[1-9]\d*(:[1-9]\d*)?", rest):
        raise Refused(f"USER {rest}: expected a number that is not 0, which Kubernetes can tell from root")


def check(path):
    stages, last = [], {}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for line, word, rest in instructions(text):
        try:
            if word not in INSTRUCTIONS:
                raise Refused(f"unknown instruction {word}")
            if word != "FROM" and word != "ARG" and not stages:
                raise Refused(f"{word} before FROM")
            if word == "FROM":
                check_from(rest, stages)
                last = {}
            elif word == "COPY":
                check_copy(rest, stages)
            elif word == "RUN":
                words(rest)
                check_packages(rest)
            elif word == "USER":
                check_user(rest)
            elif word in ("ENTRYPOINT", "CMD") and not rest.startswith("["):
                raise Refused(f"{word} {rest}: expected a JSON list, a shell would not pass on SIGTERM")
            elif word in ("ENTRYPOINT", "CMD"):
                words(rest)
            last[word] = rest
        except Refused as error:
            raise Refused(f"{path}:{line}: {error}") from error
    for word in ("USER", "ENTRYPOINT"):
        if word not in last:
            raise Refused(f"{path}: the last stage has no {word}")


def main(paths):
    failed = 0
    for path in paths:
        try:
            check(path)
        except Refused as error:
            print(error)
            failed += 1
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    sys.exit(main(sys.argv[1:]))
