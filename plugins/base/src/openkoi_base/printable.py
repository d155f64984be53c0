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
    """Return untrusted text as one line, without control characters and invisible ones."""
    return " ".join(visible(text).split())


def escaped_line(text: str) -> str:
    """Return untrusted text as one line; show line breaks in it, which may separate two commands."""
    return one_line(visible(text).replace("\n", r"\n").replace("\t", r"\t"))


def indent_lines(text: str) -> str:
    """Return untrusted text without such characters, its further lines indented, unlike OpenKoi's."""
    return indent_further(visible(text))


def indent_further(text: str, by: int = INDENT) -> str:
    """Return text with its further lines indented by this many spaces, so that they look like a continuation."""
    first, *more = text.splitlines() or [""]
    indent = " " * by
    missing = "" if all(line.startswith(indent) for line in more) else indent
    return "\n".join([first, *(f"{missing}{line}" for line in more)])


def visible(text: str) -> str:
    """Return text without control characters and invisible ones, except line breaks and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(visible_character, UNSEEN.sub("", text.replace("\r\n", "\n"))))


def visible_character(char: str) -> str:
    if char in "\n\t" or unicodedata.category(char)[0] != "C":
        return char
    return "\n" if char.isspace() else ""  # such as \v and \x85, which end lines


def is_one_line(text: str) -> bool:
    """Return whether a text is one line and fully visible: it cannot look like another line, or hide a part."""
    return len(text.splitlines()) <= 1 and visible(text) == text
