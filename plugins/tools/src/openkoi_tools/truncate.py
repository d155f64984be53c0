"""Truncate the output of tool calls: long lines are cut visibly, and both ends of long outputs are kept.

No text is cut within a secret: half of it would not be recognised when it is written to the log.
"""

from collections.abc import Iterable, Sequence

from openkoi_base.redact import current_redactor, outside_secret
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_LINE_CHARACTERS = 2_000
SECRET_LOOKAHEAD_LINES = 50  # lines that are looked at for the rest of a secret


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Numbered lines, and the part of the text that they show."""

    shown: str
    known: str
    count: int


def number_lines(lines: Sequence[str], first: int, room: int) -> NumberedLines:
    """Return as many numbered lines as fit, at least one."""
    width = min(MAX_LINE_CHARACTERS, max(1, room // 4))
    pieces: list[str] = []
    known: list[str] = []
    for number, line in enumerate(lines, first):
        text = f"{number}|{cut_line(line, width)}"
        room -= len(text.encode()) + 1
        if pieces and room < 0:
            break
        pieces.append(text)
        known.append(line[:width])
    whole = lines_without_cut_secret(lines, len(pieces))
    pieces, known = pieces[:whole], known[:whole]
    return NumberedLines("\n".join(pieces), "\n".join(known), len(pieces))


def lines_without_cut_secret(lines: Sequence[str], count: int) -> int:
    """Return the number of first lines that end before a secret which continues below; at least one."""
    if count >= len(lines):
        return count
    above = "\n".join(lines[:count])
    end, _ = outside_secret(
        "\n".join((above, *lines[count : count + SECRET_LOOKAHEAD_LINES])), len(above), current_redactor()
    )
    return count if end == len(above) else max(1, above[:end].count("\n"))


def cut_line(line: str, width: int) -> str:
    """Shorten a line that is too long, not within a secret, and say by how much."""
    if len(line) <= width:
        return line
    end, _ = outside_secret(line, width, current_redactor())
    return f"{line[:end]}… [{len(line) - end:,} more characters in this line]"


def take_fitting(lines: Iterable[str], room: int) -> list[str]:
    """Take lines from the beginning while they fit."""
    kept = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def keep_ends(text: str, room: int) -> tuple[str, str]:
    """Split a long text into the first third and last two thirds that fit; the second part is empty if all fits."""
    data = text.encode(errors="replace")
    if len(data) <= room:
        return text, ""
    head = data[: room // 3].decode(errors="ignore")
    tail = data[room // 3 - room :].decode(errors="ignore")
    end, _ = outside_secret(text, len(head), current_redactor())
    _, start = outside_secret(text, len(text) - len(tail), current_redactor())
    return text[:end], text[start:]


def format_size(count: int) -> str:
    """Format a number of bytes."""
    if count < 1024:
        return f"{count} bytes"
    return f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.1f} MB"


def format_span(first: int, last: int) -> str:
    """Name a range of lines."""
    return f"line {first}" if first == last else f"lines {first} to {last}"
