"""Finds the functions of C++ and Go sources and their lengths.

A length is counted from the first line of the signature to the closing brace, both included, blank
lines and comments too. A lambda or a closure inside a function belongs to that function.
"""

import re
from collections import namedtuple

from source_text import code_only

Function = namedtuple("Function", "name line length")

ACCESS = re.compile(r"^\s*(?:(?:public|private|protected)\s*:(?!:)\s*)+")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\b(?:alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)", re.S)
TYPE = re.compile(r"(?:^|[\s>])(?:class|struct|union|enum)\b")
LAMBDA_TAIL = re.compile(
    r"\[[^\[\]]*\]\s*(?:\(.*\))?\s*(?:mutable|noexcept|constexpr|\s)*(?:->[^;]*)?$", re.S)
INIT_LIST = re.compile(r"\)\s*(?:noexcept\s*(?:\(\s*\))?)?\s*:(?!:)")


def _strip_template(head):
    """Without leading `template <...>` groups."""
    while match := re.match(r"\s*template\s*<", head):
        depth, i = 1, match.end()
        while i < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[i], 0)
            i += 1
        head = head[i:]
    return head.strip()


def _flat(head):
    """Parentheses emptied, so that what is left is at depth 0."""
    out, depth = [], 0
    for c in head:
        if c == ")":
            depth -= 1
        if depth == 0:
            out.append(c)
        if c == "(":
            depth += 1
    return "".join(out)


def _kind(head):
    """What a `{` after this head opens, outside of any function: see the names returned."""
    head = _strip_template(ATTRIBUTE.sub(" ", ACCESS.sub("", head)))
    flat = _flat(head)
    if re.match(r"(?:inline\s+)?namespace\b|extern\s*$|export\s*$", head):
        return "scope"
    if (found := TYPE.search(head)) and "(" not in re.sub(r"requires\s*\(.*?\)", "",
                                                          head[:found.start()]):
        return "scope"
    if re.match(r"concept\b", head) or re.search(r"\brequires\s*(?:\(\))?$", flat):
        return "inside"
    assigned = re.search(r"(?<![=!<>+\-*/%&|^])=(?!=)", flat) and "operator" not in flat
    if assigned or "(" not in flat:
        return "function" if LAMBDA_TAIL.search(head) else "value"
    if INIT_LIST.search(flat) and re.search(r"[\w>]\s*$", flat):
        return "inside"
    return "function"


def _name(head):
    head = _strip_template(ATTRIBUTE.sub(" ", ACCESS.sub("", head)))
    if match := re.match(r"(TEST(?:_[FP])?|BENCHMARK\w*)\s*\(([^)]*)\)", head):
        return re.sub(r"\s*,\s*", ".", match.group(2).strip())
    match = re.search(r"([\w:~]+|operator[^(]*)\s*\(", head)
    return match.group(1).strip() if match else "lambda"


class _CppScan:
    def __init__(self, text):
        self.text, self.found = text, []
        self.stack = []  # (kind, head, start, parentheses outside) per open brace
        self.head_start, self.parens = 0, 0

    def _open(self, i):
        head = self.text[self.head_start:i]
        kind = "inside" if self._in_function() or self.parens > 0 else _kind(head)
        shift = ACCESS.match(head)
        start = self.head_start + (shift.end() if shift else 0)
        start += len(self.text[start:i]) - len(self.text[start:i].lstrip())
        self.stack.append((kind, head, start, self.parens))
        if kind != "inside":
            self.head_start, self.parens = i + 1, 0

    def _close(self, i):
        if not self.stack:
            return
        kind, head, start, parens = self.stack.pop()
        self.parens = parens
        if kind == "function":
            line = self.text.count("\n", 0, start) + 1
            self.found.append(Function(_name(head), line, self.text.count("\n", start, i) + 1))
        if kind != "inside":
            self.head_start = i + 1

    def _in_function(self):
        return any(entry[0] == "function" for entry in self.stack)

    def run(self):
        for i, c in enumerate(self.text):
            if c == "{":
                self._open(i)
            elif c == "}":
                self._close(i)
            elif c == ";" and self.parens == 0 and not self._in_function():
                self.head_start = i + 1
            elif c in "()" and not self._in_function():
                self.parens = max(0, self.parens + (1 if c == "(" else -1))
        if self.stack:
            head = self.stack[-1][1].strip().split("\n")[-1]
            raise ValueError(f"a brace is never closed; it follows '{head[-60:]}'")
        return self.found


def cpp_functions(text):
    return _CppScan(code_only(text)).run()


def go_functions(text):
    """gofmt puts `func` and the closing brace of a declaration into the first column."""
    found, name, start = [], None, 0
    for number, line in enumerate(code_only(text, go=True).split("\n"), 1):
        if match := re.match(r"func\s*(?:\([^)]*\)\s*)?(\w+)", line):
            name, start = match.group(1), number
            if line.rstrip().endswith("}") and line.count("{") == line.count("}"):
                found.append(Function(name, start, 1))
                name = None
        elif name and line.startswith("}"):
            found.append(Function(name, start, number - start + 1))
            name = None
    return found
