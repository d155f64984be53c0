"""Print names with their descriptions in two columns that fit the terminal."""

from collections.abc import Iterator, Sequence

from openkoi_terminal import text_width, wrap_words

NARROWEST = 28  # columns of the right side; below that it stands on a line of its own
INDENT = "  "


def format_pairs(pairs: Sequence[tuple[str, str]], columns: int, *, left: int = 0) -> Iterator[str]:
    """Yield a line for each pair, and more if the right side does not fit into the columns (0: any number).

    ``left`` is the width of the left side, for several tables below each other.
    """
    left = left or max((text_width(name) for name, _ in pairs), default=0)
    start = len(INDENT) + left + len(INDENT)
    is_narrow = 0 < columns < start + NARROWEST
    for name, meaning in pairs:
        if is_narrow:
            yield f"{INDENT}{name}"
            yield from wrap_words(f"{INDENT * 3}{meaning}", columns, indent=INDENT * 3)
        else:
            yield from wrap_words(
                f"{INDENT}{name}{' ' * (left - text_width(name))}{INDENT}{meaning}",
                columns or 10_000,
                indent=" " * start,
            )
