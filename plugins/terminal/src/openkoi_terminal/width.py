"""Measure and cut text by the columns that it fills on a terminal."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs.lazy_pattern import lazy_pattern

TAB = "    "
MIN_WIDTH = 8  # lines are not wrapped if only this width is left beside the indent (estimate)
WORD = lazy_pattern(r" *[^ ]+")
MARK = lazy_pattern(r"\x1b\[[0-9;]*m")
MARK_OR_TEXT = lazy_pattern(r"\x1b\[[0-9;]*m|[^\x1b]+|\x1b")


def text_width(text: str) -> int:
    """Return how many columns a line fills, including wide and combining characters; style sequences fill none."""
    if "\x1b" in text:
        text = MARK.sub("", text)
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def clip_row(text: str, width: int) -> str:
    """Cut a line to the columns of a row; an ellipsis marks the cut, and style sequences are kept."""
    if text_width(text) <= width:
        return text
    row, left = "", width - 1
    for piece in MARK_OR_TEXT.findall(text):
        if piece.startswith("\x1b"):
            row += piece
        elif left >= 0:
            kept = next(split_rows(piece, left), "") if left else ""
            row, left = (row + piece, left - text_width(piece)) if kept == piece else (f"{row}{kept}…", -1)
    return row


def split_rows(line: str, width: int) -> Iterator[str]:
    """Yield the rows that a line fills, as a terminal of this width wraps it; characters that join stay together."""
    if line.isascii():
        yield from (line[start : start + width] for start in range(0, max(len(line), 1), width))
        return
    from wcwidth import iter_graphemes, wcswidth

    row, filled = "", 0
    for grapheme in iter_graphemes(line):
        columns = max(wcswidth(grapheme), 0)
        if filled + columns > width:
            yield row
            row, filled = "", 0
        row, filled = row + grapheme, filled + columns
    yield row


def wrap_words(line: str, width: int, *, indent: str = "") -> Sequence[str]:
    """Return a line in rows that are broken between words; all but the first are indented.

    Only for OpenKoi's own lines: the terminal wraps text of models and programs, so that it can be copied.
    """
    if text_width(line) <= width or width <= len(indent) + MIN_WIDTH:
        return [line]
    first, *words = WORD.findall(line)
    rows = [first]
    for word in words:
        if text_width(rows[-1]) + text_width(word) > width:
            rows.append(f"{indent}{word.lstrip(' ')}")
        else:
            rows[-1] += word
    return rows


def tail_rows(text: str, width: int, most: int) -> Sequence[str]:
    """Return the last rows that a text fills; of a long text, only the end is examined."""
    near = text[-width * (most + 1) :].expandtabs(len(TAB))
    rows = [row for line in near.split("\n")[-most:] for row in split_rows(line, width)]
    return rows[-most:]
