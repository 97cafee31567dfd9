#!/usr/bin/env python3
"""rooms.py [ROOT]: fails where a room includes what its place does not allow, or where the core uses
what would make it impure (clock, threads, random numbers, floating point, I/O libraries)."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from source_text import code_only  # noqa: E402

ENGINE_STATE = "core/engine state"  # headers core/engine/*state*.h alone
UP_TO_PLAN = ["core/base", "core/cluster", "core/place", "core/order", "core/plan"]
CORE = UP_TO_PLAN + ["core/judge", "core/explain", "core/measure", "core/engine"]

# Room -> rooms whose headers it may include. The public headers of include/ are open to all.
ALLOWED = {
    "include": [],
    "core/base": UP_TO_PLAN[:1],
    "core/cluster": UP_TO_PLAN[:2],
    "core/place": UP_TO_PLAN[:3],
    "core/order": UP_TO_PLAN[:4],
    "core/plan": UP_TO_PLAN,
    "core/judge": UP_TO_PLAN + ["core/judge", ENGINE_STATE],
    "core/explain": UP_TO_PLAN + ["core/explain", ENGINE_STATE],
    "core/measure": UP_TO_PLAN + ["core/measure"],
    "core/engine": CORE,
    "wire": CORE + ["wire"],
    "runtime": CORE + ["runtime"],
    "sim": CORE + ["wire", "sim"],
    "service": CORE + ["wire", "runtime", "service"],
}

PURE = "the core is a pure function of its commands"
BANNED_CODE = [
    (r"\babsl::(Now|Mutex|SleepFor|BitGen)\b", PURE),
    (r"\b(system_clock|steady_clock|high_resolution_clock)\b", PURE),
    (r"\bstd::(thread|jthread|mutex|shared_mutex|condition_variable|async|atomic)\b", PURE),
    (r"\b(s?rand|random_device|mt19937(_64)?|default_random_engine)\b", PURE),
    (r"\b(float|double)\b", "integers decide"),
    (r"\b(grpc|nlohmann|spdlog)::", "the core knows no wire and no log"),
    (r"\bstd::(cout|cerr|clog|ifstream|ofstream|fstream|filesystem)\b", PURE),
]
BANNED_INCLUDES = (r"(thread|mutex|shared_mutex|condition_variable|future|atomic|chrono|random|iostream|"
                   r"fstream|filesystem|absl/time/clock\.h|absl/synchronization/.*|grpc.*|.*\.pb\.h|"
                   r"nlohmann/.*|spdlog/.*|google/protobuf/.*)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.M)


def room_of(path):
    """The room of a file below src/ or include/, or None."""
    parts = path.split("/")
    if parts[0] == "include":
        return "include"
    if parts[0] == "src" and len(parts) > 2:
        return "/".join(parts[1:3]) if parts[1] == "core" else parts[1]
    return None


def target_rooms(include):
    """The names under which ALLOWED may list this include; empty for libraries and public headers."""
    parts = include.split("/")
    if parts[0] == "core" and len(parts) > 2:
        state = parts[1] == "engine" and "state" in parts[-1]
        return ["/".join(parts[:2])] + ([ENGINE_STATE] if state else [])
    return [parts[0]] if parts[0] in ALLOWED else []


def _line(text, offset):
    return text.count("\n", 0, offset) + 1


def _check_includes(path, room, text):
    pure = room == "include" or room.startswith("core/")
    for match in INCLUDE.finditer(text):
        name, where = match.group(1), f"{path}:{_line(text, match.start())}"
        rooms = target_rooms(name)
        if rooms and not set(rooms) & set(ALLOWED[room]):
            yield f"{where}: {room} must not include {name}; it may use {ALLOWED[room] or 'nothing'}"
        if pure and re.fullmatch(BANNED_INCLUDES, name):
            yield f"{where}: <{name}> is not for {room}: {PURE}"
        if name.endswith(".pb.h") and room not in ("wire", "service"):
            yield f"{where}: generated messages are for wire and service only, not for {room}"
        if room == "runtime" and name.startswith("grpc"):
            yield f"{where}: runtime links no gRPC, so that ThreadSanitizer can watch it"


def check_text(path, text):
    """Problems of one file; path is relative to the repository, with slashes."""
    room = room_of(path)
    if room is None:
        return []
    if room not in ALLOWED:
        return [f"{path}: no such room, expected one of {', '.join(ALLOWED)}"]
    problems = list(_check_includes(path, room, text))
    if room == "include" or room.startswith("core/"):
        code = code_only(text)
        for pattern, why in BANNED_CODE:
            problems += [f"{path}:{_line(code, m.start())}: '{m.group(0)}' in {room}: {why}"
                         for m in re.finditer(pattern, code)]
    return problems


def check(root):
    problems = []
    for top in ("include", "src"):
        for where, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(n for n in names if n.endswith((".h", ".cc"))):
                path = os.path.join(where, name)
                with open(path, encoding="utf-8") as file:
                    problems += check_text(os.path.relpath(path, root), file.read())
    return problems


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    problems = check(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
