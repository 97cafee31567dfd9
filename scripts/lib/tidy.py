#!/usr/bin/env python3
"""tidy.py BUILD_DIR: clang-tidy over all C++ files of src/, several at a time.

Headers are checked with the files that include them. A file that passed is not checked again until it,
a header of the repository that it includes, its compiler flags or .clang-tidy change; what passed is
remembered in .cache/tidy."""

import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CACHE = os.path.join(ROOT, ".cache/tidy")


def dependencies(build):
    """Object file -> files of the repository that it was compiled from, as ninja knows them."""
    out = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True,
                         text=True).stdout
    found, current = {}, None
    for line in out.split("\n"):
        if line.startswith("    ") and current is not None:
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(ROOT):
                current.append(path)
        elif ": #deps" in line:
            current = found.setdefault(line.split(":")[0], [])
    return found


def object_of(command):
    """The object file that a compiler command writes; CMake 3.25 does not name it elsewhere."""
    parts = shlex.split(command)
    return parts[parts.index("-o") + 1]


def key_of(command, files):
    digest = hashlib.sha256(command.replace(ROOT, "").encode())
    for path in [os.path.join(ROOT, ".clang-tidy")] + sorted(files):
        digest.update(path[len(ROOT):].encode())
        if os.path.exists(path):
            with open(path, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def check(build, file):
    """Output of clang-tidy, empty when the file is clean."""
    run = subprocess.run(["clang-tidy-14", "--quiet", "-p", build, file], capture_output=True,
                         text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def units(build):
    """(file, key) of each compilation that is to be checked."""
    deps = dependencies(build)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for entry in commands:
        path = entry["file"]
        if path.startswith(os.path.join(ROOT, "src") + os.sep):
            yield path, key_of(entry["command"], deps.get(object_of(entry["command"]), []) + [path])


def main():
    build = os.path.abspath(sys.argv[1])
    os.makedirs(CACHE, exist_ok=True)
    todo = [(path, key) for path, key in units(build)
            if not os.path.exists(os.path.join(CACHE, key))]
    print(f"clang-tidy: {len(todo)} files to check", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (path, key), output in zip(todo, pool.map(lambda t: check(build, t[0]), todo)):
            if output:
                failed += 1
                print(f"--- {os.path.relpath(path, ROOT)}\n{output}", flush=True)
            else:
                open(os.path.join(CACHE, key), "w", encoding="utf-8").close()
    print(f"clang-tidy: {failed} files with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
