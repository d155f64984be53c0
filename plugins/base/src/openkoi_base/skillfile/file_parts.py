"""Split a SKILL.md into front matter and body.

The front matter is between two lines of three dashes. Common deviations are accepted and reported: blank lines or a
comment before it, a code fence around it, more dashes, three dots, a missing closing line. A file with a title and text
but without front matter is all body.
"""

import re

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .problem import InvalidSkillError, Problem

BEGIN = lazy_pattern(r"[ \t]{0,3}-{3,}[ \t]*(?:#.*)?")
END = lazy_pattern(r"(?:-{3,}|\.{3})[ \t]*(?:#.*)?")
USUAL = lazy_pattern(r"---[ \t]*")
HEADED = lazy_pattern(r"(?:#[^\n]*\n\s*)+(?=---[ \t]*\n(?:name|description)[ \t]*:)")
COMMENT = lazy_pattern(r"\s*<!--(?:(?!-->)[\s\S]){0,20000}-->[ \t]*\n")
CODE = lazy_pattern(r"[ \t]*(`{3,}|~{3,})[\w-]*[ \t]*")
ENTRY = lazy_pattern(r"[ \t]*[\w -]+:(?:[ \t]|$)|[ \t]+\S|- ")
TITLED = lazy_pattern(r"#{1,3} \S[^\n]*\n[\s\S]*^[^#\s]", re.MULTILINE)
NOT_FENCED = "it does not start with YAML between two lines of three dashes"
NO_FRONT_MATTER = (
    "it has no front matter, so other programs may reject it; "
    "the folder's name and the first words of the text are used as its name and description"
)
UNCLOSED = "the front matter has no end; add a line of three dashes after it"


@dataclass(frozen=True, slots=True)
class FileParts:
    """The front matter, the number of its first line, and the body."""

    front: str
    first: int
    body: str
    corrections: tuple[Problem, ...] = ()


def split_file(text: str) -> FileParts:
    """Split a file into front matter and text; raise InvalidSkillError."""
    skipped = skip_preamble(text)
    lines = text[skipped:].split("\n")
    at = text.count("\n", 0, skipped)
    if TITLED.match(text, skipped):
        return FileParts("", at + 1, text[skipped:], (Problem(NO_FRONT_MATTER, at + 1, fatal=False),))
    if not BEGIN.fullmatch(lines[0]):
        raise InvalidSkillError(Problem(NOT_FENCED))
    odd = (
        []
        if (skipped, bool(USUAL.fullmatch(lines[0]))) == (0, True)
        else [make_oddity(at + 1, "does not start with three dashes on the first line")]
    )
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    close = next((n for n, line in enumerate(lines[1:], 1) if END.fullmatch(line.removeprefix(margin))), 0)
    if not close:
        close = find_last_entry(lines)
        odd.append(make_oddity(at + close + 1, "has no line of three dashes after it"))
        return FileParts("\n".join([*lines[1:close], ""]), at + 2, "\n".join(lines[close:]), tuple(odd))
    if not USUAL.fullmatch(lines[close]):
        odd.append(make_oddity(at + close + 1, "does not end with three dashes"))
    body = "\n".join(lines[close + 1 :])
    fence = CODE.match(text) if skipped else None
    rest = body.lstrip("\n").removeprefix(fence[1]) if fence else body
    return FileParts("\n".join([*lines[1:close], ""]), at + 2, rest, tuple(odd))


def skip_preamble(text: str) -> int:
    """Return the number of characters before the front matter that can be ignored."""
    at = 0
    while found := COMMENT.match(text, at):
        at = found.end()
    if found := HEADED.match(text, at):
        at = found.end()
    at += len(text[at:]) - len(text[at:].lstrip())
    at = text.rfind("\n", 0, at) + 1
    line = text[at:].partition("\n")[0]
    after = at + len(line) + 1
    if CODE.fullmatch(line) and BEGIN.fullmatch(text[after:].partition("\n")[0]):
        return after
    return at


def find_last_entry(lines: list[str]) -> int:
    """Return the end of unclosed front matter: its first blank line, if text follows."""
    blank = next((place for place, line in enumerate(lines[1:], 1) if not line.strip()), 0)
    entries = lines[1:blank]
    if not entries or not any(line.strip() for line in lines[blank:]) or not all(map(ENTRY.match, entries)):
        raise InvalidSkillError(Problem(UNCLOSED))
    return blank


def make_oddity(line: int, how: str) -> Problem:
    """Return a problem with a front matter that other readers may not find."""
    return Problem(f"the front matter {how}, so other programs may reject it", line, fatal=False)
