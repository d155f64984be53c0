"""Test the search words of texts."""

import pytest

from openkoi_search import make_index
from openkoi_search.words import document_terms, index_terms

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


@pytest.mark.parametrize(
    "definition",
    [
        "def split_invoice(text):\n    return text.split()",
        "func SplitInvoice(text string) []string {\n\treturn strings.Fields(text)\n}",
        "pub fn split_invoice(text: &str) -> Vec<&str> {\n    text.split(' ').collect()\n}",
        "export function splitInvoice(text) {\n  return text.split(' ');\n}",
        "class SplitInvoice:\n    def run(self, text):\n        return text.split()",
    ],
)
def test_what_defines_a_name_comes_before_what_uses_it(definition: str) -> None:
    uses = [f"def report_{n}(text):\n    return split_invoice(split_invoice(text))" for n in range(12)]
    assert make_index([*uses, definition], about=[""] * 13)("split an invoice", 1) == [12]


def test_prose_that_speaks_of_a_class_is_found_by_its_own_words() -> None:
    prose = "The class of invoices that the function of our office sends, and a class (the old one) that it keeps."
    assert document_terms(prose) == index_terms(prose)
