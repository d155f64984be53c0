"""Make untrusted text printable."""

import unicodedata

from openkoi_hookspecs.lazy_pattern import lazy_pattern

# Letters and marks without any ink: fillers, the blank of braille, selectors of variants, which can spell any bytes.
UNSEEN = lazy_pattern(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)

INDENT = 4  # spaces before the further lines of others; no line of OpenKoi's progress or errors starts with as many


def make_printable(text: str) -> str:
    """Replace control and invisible characters with question marks; keep line breaks and tabs."""
    return "".join(char if char in "\n\t" or unicodedata.category(char)[0] != "C" else "?" for char in text)


def one_line(text: str) -> str:
    """Return text of others as one line, without characters that control a terminal or that are not seen."""
    return " ".join(visible(text).split())


def escaped_line(text: str) -> str:
    """Return text of others as one line; a line break in it, which may separate two commands, is shown as such."""
    return one_line(visible(text).replace("\n", r"\n").replace("\t", r"\t"))


def indent_lines(text: str) -> str:
    """Return text of others without such characters, its further lines indented: they look like no line of OpenKoi."""
    return indent_further(visible(text))


def indent_further(text: str, by: int = INDENT) -> str:
    """Return text with its further lines indented by so many spaces, so that none looks like a line of its own."""
    first, *more = text.splitlines() or [""]
    indent = " " * by
    missing = "" if all(line.startswith(indent) for line in more) else indent
    return "\n".join([first, *(f"{missing}{line}" for line in more)])


def visible(text: str) -> str:
    """Return text without characters that control a terminal or that are not seen, but for line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(visible_character, UNSEEN.sub("", text.replace("\r\n", "\n"))))


def visible_character(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char)[0] != "C":
        return char
    return "\n" if char.isspace() else ""  # such as \v and \x85, which end lines


def is_one_line(text: str) -> bool:
    """Return whether all of a text is seen, in one line: it cannot look like another line, or hide a part."""
    return len(text.splitlines()) <= 1 and visible(text) == text
