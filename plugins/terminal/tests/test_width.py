"""The columns that text fills, and lines that are broken between words."""

import pytest

from openkoi_terminal import wrap_words

INDENTED = "  ! a warning that does not fit"


@pytest.mark.parametrize(
    ("line", "width", "rows"),
    [
        ("short", 20, ["short"]),
        (INDENTED, 20, ["  ! a warning that", "    does not fit"]),
        ("  name    what it is", 16, ["  name    what", "    it is"]),
        ("a " + "w" * 30 + " b", 20, ["a", "    " + "w" * 30, "    b"]),
        (
            "\u9ed2\u8336 " * 6,
            21,
            ["\u9ed2\u8336 \u9ed2\u8336 \u9ed2\u8336 \u9ed2\u8336", "    \u9ed2\u8336 \u9ed2\u8336"],
        ),
        ("too narrow for that", 4, ["too narrow for that"]),
        ("", 20, [""]),
    ],
)
def test_breaks_between_words(line: str, width: int, rows: list[str]) -> None:
    assert rows == [row.rstrip() for row in wrap_words(line, width, indent="    ")]
