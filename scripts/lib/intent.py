#!/usr/bin/env python3
"""intent.py [ROOT]: fails where the fields of the engine's state, their lists in core/engine/fields.h and
the table of Intent in docs/ARCHITECTURE.md do not say the same."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from source_text import code_only  # noqa: E402

ENGINE = "src/core/engine"
STRUCTS = {"State": "state.h", "Gang": "gang.h", "Plan": "gang.h", "Member": "roster.h", "Pod": "pods.h"}
KINDS = ("Input", "Intent", "Derived", "Scratch")
AFTER = ("the same", "begins anew")
NOT_A_FIELD = re.compile(r"\b(using|static|friend|template|typedef|explicit|enum|struct|class|operator)\b")


def _body(code, name):
    """The text between the braces of struct NAME."""
    start = re.search(rf"\bstruct {name} \{{", code)
    if start is None:
        return None
    depth, i = 1, start.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(code[i], 0)
        i += 1
    return code[start.end():i - 1]


def _flat(body):
    """The body without what stands in braces."""
    out, depth = [], 0
    for char in body:
        depth -= char == "}"
        if not depth:
            out.append(char)
        depth += char == "{"
    return "".join(out)


def fields_of(text, name):
    """Names of the data members of struct NAME, in their order; None if there is no such struct."""
    body = _body(code_only(text), name)
    if body is None:
        return None
    names = []
    # A member ends in ";", also after an initializer in braces; a function ends in its braces.
    for statement in re.split(r";|\{\}(?!\s*;)", _flat(body)):
        head = re.split(r"[={]", statement, maxsplit=1)[0]
        if "(" in head or NOT_A_FIELD.search(head):
            continue
        word = re.search(r"(\w+)\s*$", head)
        if word and len(head.split()) > 1:
            names.append(word.group(1))
    return names


def listed_fields(text):
    """{"Gang.domain": "Intent"} from the lists of fields.h."""
    found = re.findall(r'visit\(k(\w+), "(\w+\.\w+)", (\w+)\.(\w+)\);', text)
    return {name: kind for kind, name, _, member in found if name.endswith("." + member)}


def table_rows(text):
    """{"Gang.domain": ("the same", "annotation ...")} from the table of Intent; None without one."""
    table = re.search(r"^\| intent \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, re.M)
    if table is None:
        return None
    rows = {}
    for line in table.group(1).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`(\w+\.\w+)`", cells[0]):
            rows[name] = tuple(cells[1:])
    return rows


def check_fields(headers, fields_h):
    """headers: {struct: text of its header}."""
    problems = []
    listed = listed_fields(fields_h)
    declared = set()
    for struct, text in headers.items():
        names = fields_of(text, struct)
        if not names:
            problems.append(f"{ENGINE}/{STRUCTS.get(struct, struct)}: no fields of struct {struct} found")
            continue
        declared |= {f"{struct}.{name}" for name in names}
    for name in sorted(declared - set(listed)):
        problems.append(f"{ENGINE}/fields.h: {name} is missing: say whether it is an input, intent, derived or scratch")
    for name in sorted(set(listed) - declared):
        problems.append(f"{ENGINE}/fields.h: there is no field {name}")
    for name, kind in sorted(listed.items()):
        if kind not in KINDS:
            problems.append(f"{ENGINE}/fields.h: {name} is '{kind}', expected one of {', '.join(KINDS)}")
    return problems


def check_table(document, fields_h):
    rows = table_rows(document)
    if rows is None:
        return ["docs/ARCHITECTURE.md: no table that begins with '| intent |'"]
    intent = {name for name, kind in listed_fields(fields_h).items() if kind == "Intent"}
    where = "docs/ARCHITECTURE.md, table of Intent"
    problems = [f"{where}: no row for {name}" for name in sorted(intent - set(rows))]
    problems += [f"{where}: {name} is no intent in {ENGINE}/fields.h" for name in sorted(set(rows) - intent)]
    for name, cells in sorted(rows.items()):
        if len(cells) != 2 or cells[0] not in AFTER:
            problems.append(f"{where}: {name}: {cells}, expected '{AFTER[0]}' or '{AFTER[1]}' and a reason")
        elif len(cells[1]) < 10:
            problems.append(f"{where}: {name}: '{cells[1]}' is no reason")
    return problems


def check(root):
    def read(path):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()

    headers = {struct: read(f"{ENGINE}/{header}") for struct, header in STRUCTS.items()}
    fields_h = read(f"{ENGINE}/fields.h")
    return check_fields(headers, fields_h) + check_table(read("docs/ARCHITECTURE.md"), fields_h)


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    problems = check(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
