"""Describe test failures in words that stay the same when the same failure recurs."""

import re

from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_TITLE_CHARACTERS = 140
MAX_DETAIL_CHARACTERS = 2000
MAX_LINE_CHARACTERS = 1000
COLOURS = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = lazy_pattern(r"^(E  +|INTERNALERROR> |!+ )|( !+)$")
ERROR = lazy_pattern(r"ERROR|error\b|Fatal\b|[\w.]*(Error|Exception|Exit|Interrupt)\b|.*: error: ")
PASSING = (
    (lazy_pattern(r"0x[0-9a-fA-F]+"), "0x…"),
    (lazy_pattern(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "…"),
    (lazy_pattern(r"\b\d+(\.\d+)? ?(ms|s|sec|seconds|µs|us|ns)\b"), "…"),
    (lazy_pattern(r"\bline \d+"), "line …"),
    (lazy_pattern(r"(?<=[\w/\\]\.\w)(\w*):\d+(:\d+)?"), r"\1"),
    (lazy_pattern(r"(?<![\w.:/\\])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]([\w.@+-]+)"), r"\1"),
)


def stable_line(text: str) -> str:
    """Return the first line of a message without what changes from run to run: addresses, times, lines, folders."""
    line = next((line.strip() for line in without_colours(text).splitlines() if line.strip()), "")
    line = line[:MAX_LINE_CHARACTERS]
    for pattern, instead in PASSING:
        line = pattern.sub(instead, line)
    return line if len(line) <= MAX_TITLE_CHARACTERS else line[: MAX_TITLE_CHARACTERS - 1] + "…"


def failure_title(name: str, reason: str) -> str:
    """Return the title of a failing test."""
    words = stable_line(reason)
    return f"{name} fails: {words}" if words else f"{name} fails"


def without_colours(text: str) -> str:
    """Return the text without colours."""
    return COLOURS.sub("", text)


def last_part(text: str, limit: int = MAX_DETAIL_CHARACTERS) -> str:
    """Return the last lines of a text, with a mark if something is omitted."""
    text = without_colours(text).strip("\n")
    if len(text) <= limit:
        return text
    cut = text[-limit:]
    return "…\n" + cut[cut.find("\n") + 1 :]


def error_line(text: str) -> str:
    """Return the line that most likely explains why a program failed: the last error, else the last line."""
    lines = [FRAME.sub("", line).strip() for line in without_colours(text).splitlines() if not line.startswith("make")]
    words = [line for line in lines if re.search(r"\w", line)]
    return next((line for line in reversed(words) if ERROR.match(line)), words[-1] if words else "")
