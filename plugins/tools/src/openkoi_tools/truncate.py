"""Make results fit: sizes in words, lines that are cut where one can see it, and texts of which the ends are kept.

No text is cut within a secret: half of it would not be recognised when it is written to the log.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_redact import current_redactor, outside_secret

LONGEST_LINE = 2_000
BELOW = 50  # lines that are looked at for the rest of a secret


@dataclass(frozen=True, slots=True)
class Numbered:
    """Lines as they are shown: with their numbers, and what of their text that reveals."""

    shown: str
    known: str
    count: int


def numbered(lines: Sequence[str], first: int, room: int) -> Numbered:
    """Number lines, as many as there is room for, at least one."""
    width = min(LONGEST_LINE, max(1, room // 4))
    shown: list[str] = []
    known: list[str] = []
    for number, line in enumerate(lines, first):
        text = f"{number}|{cut(line, width)}"
        room -= len(text.encode()) + 1
        if shown and room < 0:
            break
        shown.append(text)
        known.append(line[:width])
    whole = whole_lines(lines, len(shown))
    shown, known = shown[:whole], known[:whole]
    return Numbered("\n".join(shown), "\n".join(known), len(shown))


def whole_lines(lines: Sequence[str], count: int) -> int:
    """How many of the first lines can be shown without the beginning of a secret that goes on below; at least one."""
    if count >= len(lines):
        return count
    above = "\n".join(lines[:count])
    end, _ = outside_secret("\n".join((above, *lines[count : count + BELOW])), len(above), current_redactor())
    return count if end == len(above) else max(1, above[:end].count("\n"))


def cut(line: str, width: int) -> str:
    """Shorten a line that is too long, not within a secret, and say by how much."""
    if len(line) <= width:
        return line
    end, _ = outside_secret(line, width, current_redactor())
    return f"{line[:end]}… [{len(line) - end:,} more characters in this line]"


def fitting(lines: Iterable[str], room: int) -> list[str]:
    """Take lines from the beginning for as long as they fit."""
    kept = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def ends(text: str, room: int) -> tuple[str, str]:
    """Keep the first third and the last two thirds of what there is room for; the second is empty if all fits."""
    data = text.encode(errors="replace")
    if len(data) <= room:
        return text, ""
    head = data[: room // 3].decode(errors="ignore")
    tail = data[room // 3 - room :].decode(errors="ignore")
    end, _ = outside_secret(text, len(head), current_redactor())
    _, start = outside_secret(text, len(text) - len(tail), current_redactor())
    return text[:end], text[start:]


def size(count: int) -> str:
    """Say how large something is."""
    if count < 1024:
        return f"{count} bytes"
    return f"{count / 1024:.1f} KB" if count < 1024**2 else f"{count / 1024**2:.1f} MB"


def counted(count: int, thing: str) -> str:
    """Say how many there are of a thing."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def span(first: int, last: int) -> str:
    """Name a run of lines."""
    return f"line {first}" if first == last else f"lines {first} to {last}"
