"""Describe failures in words that stay the same when the same failure occurs again."""

import re

TITLE = 140
DETAIL = 2000
LONGEST = 1000
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = re.compile(r"^(E  +|INTERNALERROR> |!+ )|( !+)$")
ERROR = re.compile(r"ERROR|error\b|Fatal\b|[\w.]*(Error|Exception|Exit|Interrupt)\b|.*: error: ")
PASSING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x…"),
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "…"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|sec|seconds|µs|us|ns)\b"), "…"),
    (re.compile(r"\bline \d+"), "line …"),
    (re.compile(r"(?<=[\w/\\]\.\w)(\w*):\d+(:\d+)?"), r"\1"),
    (re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]([\w.@+-]+)"), r"\1"),
)


def steady(text: str) -> str:
    """The first line of a message without what changes from run to run: addresses, times, lines, folders."""
    line = next((line.strip() for line in plain(text).splitlines() if line.strip()), "")
    line = line[:LONGEST]
    for pattern, instead in PASSING:
        line = pattern.sub(instead, line)
    return line if len(line) <= TITLE else line[: TITLE - 1] + "…"


def fails(name: str, reason: str) -> str:
    """The title of a failing test."""
    said = steady(reason)
    return f"{name} fails: {said}" if said else f"{name} fails"


def plain(text: str) -> str:
    """The text without colours."""
    return COLOURS.sub("", text)


def tail(text: str, most: int = DETAIL) -> str:
    """The end of a text, cut at a line, with a mark where something is left out."""
    text = plain(text).strip("\n")
    if len(text) <= most:
        return text
    cut = text[-most:]
    return "…\n" + cut[cut.find("\n") + 1 :]


def last_words(text: str) -> str:
    """The line that most likely says why a program gave up: the last error, else the last line."""
    lines = [FRAME.sub("", line).strip() for line in plain(text).splitlines() if not line.startswith("make")]
    said = [line for line in lines if re.search(r"\w", line)]
    return next((line for line in reversed(said) if ERROR.match(line)), said[-1] if said else "")
