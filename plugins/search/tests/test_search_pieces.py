"""Test that transcripts are split at paragraphs or sentences, without loss or duplication."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_hookspecs import Event, Response, StreamEnd, Text, Usage
from openkoi_hookspecs.events import ModelDelta, ModelResponse, QuestionAnswered
from openkoi_search.chunking import MAX_CHARACTERS, MAX_CHUNKS, MIN_CHARACTERS, searchable_text, split_chunks

pytestmark = pytest.mark.unit

SENTENCE = "The blue gateway was chosen for all invoices of the company. "


def answered(role: str) -> ModelResponse:
    return ModelResponse("acme/large", Response((Text(SENTENCE),), StreamEnd(Usage())), 0.0, role=role)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (answered("executor"), SENTENCE),
        (answered("evaluator"), ""),
        (QuestionAnswered("q1", "Take the green one"), "Take the green one"),
        (QuestionAnswered("q1", None), ""),
        (ModelDelta("a part of an answer"), ""),
    ],
)
def test_what_the_model_and_a_person_said_is_kept_and_nothing_else(event: Event, words: str) -> None:
    assert words == searchable_text(event)


def test_a_long_text_is_cut_between_sentences() -> None:
    found = split_chunks(SENTENCE * 40)

    assert len(found) > 1
    assert {"."} == {piece[-1] for piece in found}
    assert (SENTENCE * 40).split() == " ".join(found).split()


def test_a_paragraph_without_an_end_is_cut_anywhere() -> None:
    assert [MAX_CHARACTERS, MAX_CHARACTERS, 400] == [
        len(piece) for piece in split_chunks("a" * (2 * MAX_CHARACTERS + 400))
    ]


def test_what_is_short_says_nothing_and_there_are_so_many_at_most() -> None:
    assert [] == split_chunks("Done.")
    assert MAX_CHUNKS == len(split_chunks(SENTENCE * 2_000))


@given(st.text(alphabet="ab.! \n", max_size=4_000))
@settings(max_examples=60, deadline=None)
def test_pieces_are_what_was_said_in_order(text: str) -> None:
    found, start = split_chunks(text), 0

    for piece in found:
        assert MIN_CHARACTERS <= len(piece) <= MAX_CHARACTERS
        start = text.index(piece, start) + len(piece)
