"""Translate one line of a ``.gitignore`` to a regular expression over bytes.

pathspec 1.1.1 differs from git in 36 of 300 random trees, and this code in none: see ``.github/decisions/0013``.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"cntrl": b"\\x00-\\x1f\\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b" \\t\\n\\r\\f\\v",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
MAX_PATTERN_BYTES = 4_096
TOKEN = lazy_pattern(
    rb"(?P<deep>(?:^|(?<=/))\*\*/)|(?P<rest>(?<=/)\*\*$)|(?P<stars>\*+)|(?P<any>\?)"
    rb"|\[(?P<not>[!^]?)(?P<set>\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]"
    rb"|(?P<broken>\[|\\$)|\\(?P<escaped>.)|(?P<plain>.)",
    re.DOTALL,
)
MEMBER = lazy_pattern(rb"\[:(?P<name>[a-z]+):\]|(?P<low>\\.|.)(?:-(?P<high>\\.|[^\]]))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """Match paths by one rule: whole paths if ``anchored``, else their last part."""

    expression: re.Pattern[bytes]
    hides: bool
    anchored: bool
    only_folders: bool

    def matches(self, path: bytes, *, folder: bool) -> bool:
        """Return whether the rule matches the path itself, not one above it."""
        if self.only_folders and not folder:
            return False
        return bool(self.expression.fullmatch(path if self.anchored else path.rpartition(b"/")[2]))


def parse_patterns(data: bytes) -> Iterator[IgnorePattern]:
    """Parse a ``.gitignore``; skip a line that is not a pattern, as git does."""
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        found = parse_pattern(strip_trailing_spaces(line.removesuffix(b"\r")))
        if found:
            yield found


def strip_trailing_spaces(line: bytes) -> bytes:
    """Strip trailing spaces, except one that a backslash protects."""
    bare = line.rstrip(b" ")
    escapes = len(bare) - len(bare.rstrip(b"\\"))
    return line[: len(bare) + 1] if escapes % 2 else bare


def parse_pattern(line: bytes) -> IgnorePattern | None:
    """Parse one line; return None for one longer than any path."""
    if line.startswith(b"#") or len(line) > MAX_PATTERN_BYTES:
        return None
    text = line.removeprefix(b"!")
    bare = text.removesuffix(b"/")
    expression = compile_pattern(bare.removeprefix(b"/"))
    if expression is None:
        return None
    return IgnorePattern(expression, hides=text == line, anchored=b"/" in bare, only_folders=bare != text)


def compile_pattern(text: bytes) -> re.Pattern[bytes] | None:
    """Translate wildcards; None when there is nothing to match or a bracket or backslash is left open."""
    tokens = list(TOKEN.finditer(text))
    if not text or any(token["broken"] for token in tokens):
        return None
    try:
        return re.compile(b"".join(translate_token(token) for token in tokens), re.DOTALL)
    except re.error:
        return None


def translate_token(token: "re.Match[bytes]") -> bytes:
    """Translate one token."""
    match token.lastgroup:
        case "deep":
            return b"(?:.*/)?"
        case "rest":
            return b".*"
        case "stars":
            return b"[^/]*"
        case "any":
            return b"[^/]"
        case "set":
            return translate_bracket(token["set"], negated=bool(token["not"]))
        case _:
            return re.escape(token["escaped"] or token["plain"])


def translate_bracket(text: bytes, *, negated: bool) -> bytes:
    """Translate a bracket expression; it never matches a slash."""
    members = b"".join(translate_member(found) for found in MEMBER.finditer(text))
    return b"(?!/)[" + (b"^" if negated else b"") + members + b"]"


def translate_member(found: "re.Match[bytes]") -> bytes:
    """Translate one member: a class, a letter, or a range, which is empty when it runs backwards."""
    if found["name"]:
        return CLASSES.get(found["name"], b"")
    low, high = found["low"][-1:], (found["high"] or found["low"])[-1:]
    return b"" if high < low else re.escape(low) + b"-" + re.escape(high)
