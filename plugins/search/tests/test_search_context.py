"""Test that texts are found by words of neighboring texts, and that questions rank below statements."""

import pytest

from openkoi_search import make_index
from openkoi_search.words import index_terms

TALK = (
    "Ann: The winters here are long.",
    "Ben: Which breed did you adopt from the shelter?",
    "Ann: A greyhound, and she sleeps all day.",
    "Ben: Which one of the shelters has so many dogs?",
    "Ann: It rained all week.",
    "Ben: I repaired the fence.",
)


def test_an_answer_is_found_by_the_words_of_the_question_before_it() -> None:
    search = make_index(TALK)

    assert 2 == search("Which breed did Ann adopt?", 1)[0]


def test_words_reach_the_texts_after_and_not_those_of_another_conversation() -> None:
    together = make_index(TALK, embedder=None).scores("breed adopt")
    apart = make_index(TALK, parts=[0, 0, 1, 1, 1, 1], embedder=None).scores("breed adopt")

    assert together[2] > 0
    assert 0 == apart[2]


def test_a_text_that_asks_comes_after_one_that_tells_the_same() -> None:
    search = make_index(["Is the parser slow?", "The parser is slow."], parts=["a", "b"])

    assert [1, 0] == search("slow parser", 2)


@pytest.mark.parametrize(
    ("form", "base"),
    [("bought", "buy"), ("went", "go"), ("taught", "teach"), ("children", "child"), ("Women", "woman")],
)
def test_an_irregular_form_is_the_word_that_it_is_a_form_of(form: str, base: str) -> None:
    assert index_terms(base) == index_terms(form)


def test_what_happened_is_found_by_a_question_in_another_tense() -> None:
    search = make_index(["Ann flew to Oslo in May.", "Ann runs in Oslo each May."], parts=["a", "b"], embedder=None)

    assert [0] == search("Where did Ann fly?", 1)
