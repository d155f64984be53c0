"""Test when two texts say the same, when they disagree, and what they are about."""

import pytest

from openkoi_learning.content import find_content
from openkoi_learning.text_similarity import details_differ, keys_in

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Use `pipe`.", "Set the separator to pipe.", False),
        ('fixed by `separator = "pipe"`', "Use `pipe`.", False),
        ("Use `pipe`.", "Use `tab`.", True),
        ("Use `pipe`.", "Never use `pipe`.", True),
        ("Wait 3 seconds.", "Wait 5 seconds.", True),
        ("Use the pipes.", "Use `pipe`.", True),
    ],
)
def test_a_name_is_the_same_with_and_without_marks(one: str, other: str, apart: bool) -> None:
    assert apart is details_differ(one, other)


def test_names_in_a_text_are_whole_words() -> None:
    assert ("assertionerror", "parse_url", "src/app.py") == keys_in("AssertionError in src/app.py at parse_url")


@pytest.mark.parametrize("space", [" ", "\n"])
def test_a_long_text_is_cut_between_words_for_its_names(space: str) -> None:
    assert ("src/app.py",) == keys_in(f"src/app.py {'fails ' * 64}{space}AssertionError")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Use `tab` instead of `comma`.", ("tab",)),
        ("Do not use `comma`; use `tab`.", ("tab",)),
        ("Never use `comma`.", ()),
        ("Use `tab`, not `comma`.", ("tab",)),
    ],
)
def test_the_content_of_an_advice_is_what_it_says_to_do(text: str, content: tuple[str, ...]) -> None:
    assert content == find_content(text)
