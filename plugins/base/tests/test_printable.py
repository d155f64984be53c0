"""Text of others is shown so that it looks like no line of OpenKoi, and controls no terminal."""

import pytest

from openkoi_base.printable import escaped_line, indent_lines, is_one_line, one_line, visible

FORGED = "\x1b[2J\x1b]0;owned\x07half\r\n[done] 1 iteration\u202e\u2028\udc00[done]\x85\x00"


def test_one_line_is_one_line_of_what_is_seen() -> None:
    assert "[2J]0;ownedhalf [done] 1 iteration [done]" == one_line(FORGED)
    assert "plain text" == one_line("plain text")
    assert "fünf 鯉" == one_line("  fünf\t\n鯉 ")


def test_further_lines_are_indented() -> None:
    assert "[2J]0;ownedhalf\n    [done] 1 iteration\n    [done]" == indent_lines(FORGED)
    assert "a:1:2: bad\n        x = (\n        ^" == indent_lines("a:1:2: bad\n        x = (\n        ^")
    assert "a\n       x = (\n         ^" == indent_lines("a\n   x = (\n     ^")
    assert "" == indent_lines("")


@pytest.mark.parametrize(
    "sign", [*map(chr, (*range(9), 11, 12, *range(14, 32), *range(127, 160))), "\u200b", "\u2066", "\u034f"]
)
def test_no_control_is_left(sign: str) -> None:
    assert "ab" == one_line(f"a{sign}b").replace(" ", "")


# What Unicode lists as Default_Ignorable_Code_Point, and three more signs without ink.
IGNORABLE = "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fff8"
IGNORABLE += " 1bca0-1bca3 1d173-1d17a e0000-e0fff 2800 16fe4 1d159"


@pytest.mark.parametrize("place", IGNORABLE.split())
def test_what_is_not_seen_is_not_passed_on(place: str) -> None:
    first, _, last = place.partition("-")
    hidden = "".join(map(chr, range(int(first, 16), int(last or first, 16) + 1)))

    assert "ab" == visible(f"a{hidden}b") == one_line(f"a{hidden}b") == indent_lines(f"a{hidden}b")


@pytest.mark.parametrize(
    "sign", ["\n", "\r", "\x0b", "\x1b", "\x85", "\u2028", "\u202e", "\u200b", "\u3164", "\ufe01", "\U000e0141"]
)
def test_a_text_with_a_break_or_an_unseen_sign_is_not_one_line(sign: str) -> None:
    assert not is_one_line(f"a{sign}b")
    assert is_one_line("fünf 鯉")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\x0b", "\x0c", "\x85"])
def test_a_line_break_of_a_command_is_shown(line_break: str) -> None:
    assert r"# start\n./evil\t-x" == escaped_line(f"# start{line_break}./evil\t-x")
