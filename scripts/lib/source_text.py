"""Source text without comments, strings and preprocessor lines, so that checkers can count on braces
and words. Line numbers and columns stay as they were: what is dropped becomes blanks."""

import re

CPP_RAW = re.compile(r'(?:u8|u|U|L)?R"([^()\\\s]{0,16})\(')


def _blanked(piece):
    return re.sub(r"[^\n]", " ", piece)


def _quoted_end(text, start, quote, raw=False):
    """Index after the closing quote of the literal that opens at start."""
    i = start + 1
    while i < len(text):
        if text[i] == "\\" and not raw:
            i += 2
        elif text[i] == quote:
            return i + 1
        else:
            i += 1
    return len(text)


def _is_digit_separator(text, i):
    return i > 0 and text[i - 1].isalnum() and i + 1 < len(text) and text[i + 1].isalnum() and (
        re.search(r"(?:^|[^\w'])\d[\w']*$", text[max(0, i - 40):i]) is not None)


def _skip_end(text, i, go):
    """End of the comment or literal that starts at i, or None where code goes on."""
    two = text[i:i + 2]
    if two == "//":
        end = text.find("\n", i)
        return len(text) if end < 0 else end
    if two == "/*":
        end = text.find("*/", i + 2)
        return len(text) if end < 0 else end + 2
    if go and text[i] == "`":
        return _quoted_end(text, i, "`", raw=True)
    if not go and (raw := CPP_RAW.match(text, i)) and not (i and text[i - 1].isalnum()):
        end = text.find(")" + raw.group(1) + '"', raw.end())
        return len(text) if end < 0 else end + len(raw.group(1)) + 2
    if text[i] == '"' or (text[i] == "'" and not _is_digit_separator(text, i)):
        return _quoted_end(text, i, text[i])
    return None


def without_preprocessor(text):
    """Blanks directives (with continuation lines) and all but the first branch of each #if."""
    out, skipping, stack, continued = [], False, [], False
    for line in text.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        word = re.match(r"\s*#\s*(\w+)", line)
        if word and not continued:
            name = word.group(1)
            if name in ("if", "ifdef", "ifndef"):
                stack.append(skipping)
            elif name in ("else", "elif"):
                skipping = True
            elif name == "endif" and stack:
                skipping = stack.pop()
        continued = directive and line.endswith("\\")
        out.append(" " * len(line) if directive or skipping else line)
    return "\n".join(out)


def code_only(text, go=False):
    out, i = [], 0
    while i < len(text):
        end = _skip_end(text, i, go)
        if end is None:
            out.append(text[i])
            i += 1
        else:
            out.append(_blanked(text[i:end]))
            i = end
    plain = "".join(out)
    return plain if go else without_preprocessor(plain)
