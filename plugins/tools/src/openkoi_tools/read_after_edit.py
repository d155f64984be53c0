"""Compute which new lines a reader of the old lines knows after an edit."""

from collections.abc import Iterator, Sequence

from .byte_splice import TextChange


def whole_lines(text: str, start: int, end: int) -> str:
    """Return the lines that a span touches, from their beginnings to their ends."""
    if start == end and text[start - 1 : start] in ("", "\n"):
        return ""
    stop = text.find("\n", max(start, end - 1))
    return text[text.rfind("\n", 0, start) + 1 : stop if stop != -1 else len(text)]


def lines_after(text: str, changes: Sequence[TextChange]) -> Iterator[tuple[str, str]]:
    """Yield for each change the whole lines it touched, as they were and as they are now."""
    new = "".join(new_pieces(text, changes))
    shift = 0
    for change in changes:
        start = change.start + shift
        now = whole_lines(new, start, start + len(change.new))
        yield whole_lines(text, change.start, change.end), now
        shift += len(change.new) - (change.end - change.start)


def new_pieces(text: str, changes: Sequence[TextChange]) -> Iterator[str]:
    """Yield the new text piece by piece."""
    done = 0
    for change in changes:
        yield text[done : change.start]
        yield change.new
        done = change.end
    yield text[done:]
