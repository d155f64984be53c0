"""Text of others is shown so that it looks like no line of OpenKoi, and controls no terminal."""

import pytest

from openkoi_base.printable import indented, is_one_line, one_line

FORGED = "\x1b[2J\x1b]0;owned\x07half\r\n[done] 1 iteration\u202e\u2028\udc00[done]\x85\x00"


def test_one_line_is_one_line_of_what_is_seen() -> None:
    assert "[2J]0;ownedhalf [done] 1 iteration [done]" == one_line(FORGED)
    assert "plain text" == one_line("plain text")
    assert "fünf 鯉" == one_line("  fünf\t\n鯉 ")


def test_further_lines_are_indented() -> None:
    assert "[2J]0;ownedhalf\n    [done] 1 iteration\n    [done]" == indented(FORGED)
    assert "a:1:2: bad\n        x = (\n        ^" == indented("a:1:2: bad\n        x = (\n        ^")
    assert "" == indented("")


@pytest.mark.parametrize(
    "sign", [*map(chr, (*range(9), 11, 12, *range(14, 32), *range(127, 160))), "\u200b", "\u2066", "\u034f"]
)
def test_no_control_is_left(sign: str) -> None:
    assert "ab" == one_line(f"a{sign}b").replace(" ", "")


@pytest.mark.parametrize(
    "sign", ["\n", "\r", "\x0b", "\x1b", "\x85", "\u2028", "\u202e", "\u200b", "\u3164", "\ufe01", "\U000e0141"]
)
def test_a_text_with_a_break_or_an_unseen_sign_is_not_one_line(sign: str) -> None:
    assert not is_one_line(f"a{sign}b")
    assert is_one_line("fünf 鯉")
