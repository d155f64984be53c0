"""Split a long Markdown reply into posts that an app allows, at paragraphs where possible."""

import re
from collections.abc import Callable

FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})\s*([^`\n]*)$")
SEPARATORS = ("\n\n", "\n", ". ", " ", "")


def split_text(text: str, limit: int, length: Callable[[str], int] = len) -> list[str]:
    """Return the parts of a text, each within the limit; close and reopen a code block that is cut."""
    parts: list[str] = []
    rest, fence = text, ""
    while rest.strip("\n"):
        opening = f"{fence}\n" if fence else ""
        if length(opening + rest) <= limit:
            parts.append(opening + rest)
            break
        part, rest = cut(rest, limit - length(opening) - length(closing_of(fence)) - 8, length)
        whole = opening + part
        fence = open_fence(whole)
        parts.append(whole + closing_of(fence))
    return parts


def cut(text: str, limit: int, length: Callable[[str], int]) -> tuple[str, str]:
    """Return the longest beginning of a text within a limit that ends at a good place, and the rest."""
    end = longest_prefix(text, max(1, limit), length)
    for separator in SEPARATORS:
        place = text.rfind(separator, 0, end) if separator else end
        if place >= end // 3 and place > 0:  # a third: better a full post than a good place to cut
            taken = place if separator.isspace() else place + len(separator)
            return text[:taken], text[taken:].removeprefix(separator if separator.isspace() else "")
    return text[:end], text[end:]


def longest_prefix(text: str, limit: int, length: Callable[[str], int]) -> int:
    """Return how many characters of a text are within a limit, but at least one."""
    low, high = 1, min(len(text), limit)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if length(text[:middle]) <= limit else (low, middle - 1)
    return low


def open_fence(text: str) -> str:
    """Return the line that opens the code block in which a text ends; empty if it ends outside a code block."""
    opened = ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and not opened:
            opened = line
        elif found and not found[2].strip() and found[1].startswith(mark_of(opened)):
            opened = ""
    return opened


def mark_of(fence: str) -> str:
    """Return the fence characters of a line that opens a code block."""
    found = FENCE.match(fence)
    return found[1] if found else ""


def closing_of(fence: str) -> str:
    """Return the line that closes a code block."""
    return f"\n{mark_of(fence)}" if fence else ""
