"""What is read without ``tomllib`` is what it reads; all else is left to it."""

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_settings.plain_toml import read_plain_toml

PARTS = (
    *("a", "b", "use", '"a.b"', '"a"', "'a'", '""', "", " ", "\t", "ü", '"ü"', ".", "=", " = ", "==", ",", "#", "# x"),
    *(
        "[",
        "]",
        "[]",
        "[a]",
        "[a.b]",
        "[ a . b ]",
        "[[a]]",
        '["a"]',
        "[a].",
        "{",
        "}",
        '"',
        '"x"',
        '"\\n"',
        "'x'",
        '"""',
    ),
    *("true", "True", "0", "1", "01", "-1", "+1", "1_0", "1.5", ".5", "1.", "1.05", "1e3", "0x1", "inf", "2026-01-01"),
    *(
        '["x", "y"]',
        '["x", 1]',
        '["x",]',
        '[","]',
        "\r",
        "\x0b",
        "\x85",
        "\u2028",
        "\x00",
        "9" * 400,
        "a = 1",
        'b = "x"',
    ),
)
LINES = st.lists(st.lists(st.sampled_from(PARTS), max_size=5).map("".join), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_a_text_is_read_as_by_the_library_or_left_to_it(lines: list[str], end: str) -> None:
    text = end.join(lines)

    found = read_plain_toml(text)

    if found is not None:
        assert repr(tomllib.loads(text)) == repr(found)


@pytest.mark.parametrize(
    "text",
    [
        "a.b = 1",
        "a = 1\na = 2",
        "[a]\n[a]",
        "[a.b]\n[a]",
        "a = 1\n[a]",
        'a = "\\n"',
        "a = 1 # one",
        "a = [1]",
        "a = 'x'",
    ],
)
def test_what_is_not_plain_is_left_to_the_library(text: str) -> None:
    assert read_plain_toml(text) is None


def test_plain_settings_are_read() -> None:
    text = '# mine\n[use]\nmemory = "none"\n\n[a.b]\n"c.d" = ["x", "y"]\r\nyes = true\n  n = 10\nf = 0.25\n'

    assert tomllib.loads(text) == read_plain_toml(text)


def test_the_default_bundle_is_plain() -> None:
    assert read_plain_toml(files("openkoi_bundle").joinpath("bundle.toml").read_text(encoding="utf-8"))
