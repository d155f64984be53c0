"""Foreign text cannot control the terminal, and hides nothing in an approval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_terminal import IncompleteEscapes, show_hidden, strip_controls
from openkoi_terminal.safe_text import HIDDEN

HOSTILE = {
    "a\x1b[31mb\x1b[0m": "ab",
    "a\x1b]52;c;ZXZpbA==\x07b": "ab",
    "a\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\b": "aclickb",
    "a\x1bPq#0\x1b\\b": "ab",
    "a\x9b2Jb": "ab",
    "a\x9d0;title\x9cb": "ab",
    "a\x1bcb": "ab",
    "a\x1b(0b": "ab",
    "a\u202eb\u2066c": "abc",
    "a\u200bb\ufeffc\U000e0041d": "abcd",
    "a\x08b\x07c\x00d\x7fe": "abcde",
    "a\rb\r\nc\u2028d": "a\nb\nc\nd",
    "a\x1b": "a",
    "👩\u200d💻 e\u0301\t\n": "👩\u200d💻 e\u0301\t\n",
    "a\x1b]0;never ends " + "x" * 300: "a0;never ends " + "x" * 300,
}


@pytest.mark.parametrize(("text", "clean"), HOSTILE.items())
def test_stripped(text: str, clean: str) -> None:
    assert clean.replace("a0;", "a]0;") == strip_controls(text)


@given(st.text(st.sampled_from("\x1b\x9b\x9d[]P;0m\x07\\\r\n ab\u202e\u200b\x90\x9c")), st.integers(0, 40))
def test_nothing_foreign_is_left_wherever_it_is_cut(text: str, cut: int) -> None:
    stream = IncompleteEscapes()
    clean = stream.strip(text[:cut]) + stream.strip(text[cut:]) + stream.finish()

    assert not HIDDEN.search(clean)
    assert strip_controls(text) == clean


def test_an_approval_shows_what_is_hidden() -> None:
    text = show_hidden("rm\u200b -rf \x1b[8m/\x1b[0m \u202etxt.exe\r")

    assert "rm<U+200B> -rf <ESC>[8m/<ESC>[0m <U+202E>txt.exe<CR>" == text


@pytest.mark.parametrize("sign", "\u034f\u180b\u2003\u202f\u2800\u3000\ufe0f\U000e0101")
def test_an_approval_shows_blanks_that_are_no_spaces_and_marks_without_a_shape(sign: str) -> None:
    assert f"rm<U+{ord(sign):04X}>-rf" == show_hidden(f"rm{sign}-rf")


@given(st.text())
def test_what_is_shown_is_harmless(text: str) -> None:
    assert not HIDDEN.search(show_hidden(text))
