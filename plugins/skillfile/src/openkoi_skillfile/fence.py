"""Where the front matter of a SKILL.md begins and ends. Knows lines; knows no YAML.

Three dashes before it and after it. What people and editors put in the way is seen through, and said: blank lines or a
comment before it, a code fence around it, more dashes, three dots, a closing line that was forgotten. A file that has
none, and is a title with a text below it, is a body alone.
"""

import re
from dataclasses import dataclass

from .problem import Problem, Unusable

BEGIN = re.compile(r"[ \t]{0,3}-{3,}[ \t]*(?:#.*)?")
END = re.compile(r"(?:-{3,}|\.{3})[ \t]*(?:#.*)?")
USUAL = re.compile(r"---[ \t]*")
HEADED = re.compile(r"(?:#[^\n]*\n\s*)+(?=---[ \t]*\n(?:name|description)[ \t]*:)")
COMMENT = re.compile(r"\s*<!--(?:(?!-->)[\s\S]){0,20000}-->[ \t]*\n")
CODE = re.compile(r"[ \t]*(`{3,}|~{3,})[\w-]*[ \t]*")
ENTRY = re.compile(r"[ \t]*[\w -]+:(?:[ \t]|$)|[ \t]+\S|- ")
TITLED = re.compile(r"#{1,3} \S[^\n]*\n[\s\S]*^[^#\s]", re.MULTILINE)
SHAPE = "it does not begin with YAML between two lines of three dashes"
NONE = (
    "it has no front matter, which other readers may not take: its folder names it, its first words say what it is for"
)
OPEN = "its front matter does not end: a line of three dashes is missing after it"


@dataclass(frozen=True, slots=True)
class Parted:
    """The lines of the front matter, the line of the file that the first of them is, and what comes after them."""

    front: str
    first: int
    body: str
    odd: tuple[Problem, ...] = ()


def split_file(text: str) -> Parted:
    """Split a file into front matter and text; raise InvalidSkillError."""
    skipped = before(text)
    lines = text[skipped:].split("\n")
    at = text.count("\n", 0, skipped)
    if TITLED.match(text, skipped):
        return Parted("", at + 1, text[skipped:], (Problem(NONE, at + 1, fatal=False),))
    if not BEGIN.fullmatch(lines[0]):
        raise Unusable(Problem(SHAPE))
    odd = (
        []
        if (skipped, bool(USUAL.fullmatch(lines[0]))) == (0, True)
        else [odd_at(at + 1, "not begun by three dashes in the first line")]
    )
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    close = next((n for n, line in enumerate(lines[1:], 1) if END.fullmatch(line.removeprefix(margin))), 0)
    if not close:
        close = last_entry(lines)
        odd.append(odd_at(at + close + 1, "without a line of three dashes after it"))
        return Parted("\n".join([*lines[1:close], ""]), at + 2, "\n".join(lines[close:]), tuple(odd))
    if not USUAL.fullmatch(lines[close]):
        odd.append(odd_at(at + close + 1, "ended by something else than three dashes"))
    body = "\n".join(lines[close + 1 :])
    fence = CODE.match(text) if skipped else None
    rest = body.lstrip("\n").removeprefix(fence[1]) if fence else body
    return Parted("\n".join([*lines[1:close], ""]), at + 2, rest, tuple(odd))


def before(text: str) -> int:
    """How many characters stand before the front matter that say nothing."""
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


def last_entry(lines: list[str]) -> int:
    """Where the entries end that nothing closes: at the first blank line, if more than blank lines follow it."""
    blank = next((place for place, line in enumerate(lines[1:], 1) if not line.strip()), 0)
    entries = lines[1:blank]
    if not entries or not any(line.strip() for line in lines[blank:]) or not all(map(ENTRY.match, entries)):
        raise Unusable(Problem(OPEN))
    return blank


def odd_at(line: int, how: str) -> Problem:
    """A front matter that other readers may not find."""
    return Problem(f"its front matter is {how}, which other readers may not take", line, fatal=False)
