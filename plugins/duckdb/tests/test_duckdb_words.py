"""The words that a text can be found by."""

import pytest

from openkoi_duckdb.digest import digest
from openkoi_duckdb.words import terms
from openkoi_hookspecs import Decision, Finding, Ruling, Spend
from openkoi_hookspecs.events import RunCompleted


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
    assert expected == terms(text)


def test_endless_words_are_left_out() -> None:
    assert ["short"] == terms(f"{'x' * 5_000} short")


def ended(decision: Decision, iterations: int = 3) -> RunCompleted:
    """Return the end of a run."""
    return RunCompleted(Ruling(decision, ""), Spend(), iterations=iterations)


def test_a_digest_says_how_it_went_and_what_was_fixed() -> None:
    fixed = [Finding("Off by one", where="a.py:3", fix="Start at zero.")]

    assert (
        "Count the fish\nAccepted after 3 iterations with a score of 0.91.\n"
        "Fixed on the way: Off by one (a.py:3): Start at zero."
    ) == digest("Count the fish", ended(Decision.ACCEPT), 0.914, fixed)


@pytest.mark.parametrize("decision", list(Decision))
def test_every_end_has_its_words(decision: Decision) -> None:
    assert "after 1 iteration." in digest("x", ended(decision, 1), None, [])


def test_a_digest_stays_short() -> None:
    findings = [Finding("t" * 400, fix="f" * 400)] * 30

    assert 1_700 > len(digest("word " * 10_000, ended(Decision.ACCEPT_BEST), 0.5, findings))
