"""The words that a text can be found by."""

import pytest

from openkoi_search.words import index_terms

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The parsers were parsing", ["parser", "pars"]),
        ("what is it to be", []),
        ("get_user_name", ["get_user_name", "user", "name"]),
        ("parseHTTPResponse", ["parsehttprespons", "pars", "http", "respons"]),
        ("src/loop.py", ["src/loop.py", "src", "loop", "py"]),
        ("don't", []),
        ("E0308: mismatch", ["e0308", "e", "0308", "mismatch"]),
        ("記憶 memory", ["記", "憶", "memori"]),
        ("", []),
    ],
)
def test_a_text_is_found_by_its_words_and_the_parts_of_its_names(text: str, expected: list[str]) -> None:
    assert expected == index_terms(text)


def test_endless_words_are_left_out() -> None:
    assert ["short"] == index_terms(f"{'x' * 5_000} short")


def test_stems_are_those_of_the_whole_package() -> None:
    from snowballstemmer import stemmer  # type: ignore[import-untyped]  # it brings no types

    words = [
        "gateways",
        "painted",
        "painting",
        "happily",
        "generously",
        "nationality",
        "relational",
        "skies",
        "dying",
        "news",
    ]

    assert [stemmer("english").stemWord(word) for word in words] == index_terms(" ".join(words))
