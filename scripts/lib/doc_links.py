#!/usr/bin/env python3
"""doc_links.py [ROOT]: every relative link of the Markdown files points at a file that exists, and at
a heading that exists where it has an anchor."""

import os
import re
import subprocess
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.M)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
INLINE_CODE = re.compile(r"`[^`\n]*`")


def anchors(text):
    """Anchors as GitHub makes them from headings, and those of <a id=...>."""
    found, seen = set(), {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*\s*$", FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found | set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_file(root, path):
    """Problems of one Markdown file; path is relative to root."""
    text = _read(os.path.join(root, path))
    blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    plain = INLINE_CODE.sub(lambda m: "`" * len(m.group(0)), FENCE.sub(blank, text))
    for match in LINK.finditer(plain):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        base = root if name.startswith("/") else os.path.join(root, os.path.dirname(path))
        file = os.path.normpath(os.path.join(base, name.lstrip("/"))) if name else os.path.join(
            root, path)
        where = f"{path}:{plain.count(chr(10), 0, match.start(match.lastindex)) + 1}"
        if not os.path.exists(file):
            yield f"{where}: no such file: {target}"
        elif os.path.relpath(file, root).startswith(".."):
            yield f"{where}: outside of the repository: {target}"
        elif anchor and file.endswith(".md") and anchor.lower() not in anchors(_read(file)):
            yield f"{where}: no such heading: {target}"


def check(root):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root,
                            check=True, capture_output=True, text=True).stdout.split("\n")
    return [problem for path in listed if path and os.path.exists(os.path.join(root, path))
            for problem in check_file(root, path)]


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    problems = check(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else default))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
