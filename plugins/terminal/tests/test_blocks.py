"""Final blocks of streamed Markdown: the same ones, however the text is cut."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from openkoi_terminal import Block, MarkdownStream

PIECES = (
    *("# Title\n\n", "Words of a *paragraph*\nthat go on.\n\n", "Setext\n===\n\n", "> quoted\n> twice\n\n", "---\n\n"),
    *("- one\n- two\n\n  more of two\n- three\n\n", "1. a\n2. b\n   - c\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n"),
    *(
        "```python\nx = 1\n\n- no list\n```\n\n",
        "~~~\n```\n~~~\n\n",
        "   ```\n   indented\n   ```\n",
        "[a]: http://b.c\n\n",
    ),
    *(
        "    code\n\n",
        "<b>html</b>\n\n",
        "- item\n\n  ```\n  in a list\n  ```\n\n",
        "* * *\n",
        "-\n",
        "```\nnever closed\n",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def blocks_of(*chunks: str) -> list[Block]:
    stream, found = MarkdownStream(), list[Block]()
    for chunk in chunks:
        stream.add(chunk)
        found += stream.take_final()
    return [*found, *stream.finish()]


@given(texts, st.lists(st.integers(0, 200), max_size=8))
def test_cuts_change_nothing(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    chunks = [text[start:end] for start, end in pairwise(places)]

    assert blocks_of(text) == blocks_of(*chunks)
    assert blocks_of(text) == blocks_of(*text)


@given(texts)
def test_every_word_is_in_one_block(text: str) -> None:
    words = [word for block in blocks_of(text) for word in block.source.split()]
    fences = {"```", "~~~", "```python"}

    assert [word for word in text.split() if word not in fences] == [word for word in words if word not in fences]


@given(texts)
def test_blocks_are_those_of_the_whole_text(text: str) -> None:
    tokens = [token for token in MarkdownIt("commonmark").enable("table").parse(text) if token.level == 0 and token.map]
    definitions = sum(block.kind == "paragraph" and block.source.startswith("[a]: ") for block in blocks_of(text))

    assert len(tokens) + definitions == len([block for block in blocks_of(text) if block.first])


@given(texts)
def test_each_number_begins_and_ends_once(text: str) -> None:
    found = blocks_of(text)

    assert [*range(1, 1 + len({block.number for block in found}))] == [block.number for block in found if block.first]
    assert [block.number for block in found if block.first] == [block.number for block in found if block.last]


def test_a_line_of_code_is_final_when_it_is_complete() -> None:
    stream = MarkdownStream()
    stream.add("```py\na = 1\nb =")

    assert [("a = 1", True, False)] == [(one.source, one.first, one.last) for one in stream.take_final()]
    assert "b =" == stream.pending


def test_a_long_text_that_comes_at_once_is_parsed_once() -> None:
    text = "Words.\n\n```py\nx = 1\n```\n\n- item\n\n" * 1000
    stream = MarkdownStream()
    stream.add(text)
    began = process_time()
    blocks = stream.finish()

    assert 5 > process_time() - began  # 0.3 on an idle machine; parsing again behind each fence takes a minute
    assert 3000 == blocks[-1].number


def test_an_item_is_final_when_the_next_one_begins() -> None:
    stream = MarkdownStream()
    stream.add("- one\n- two\n- thr")

    assert ["- one", "- two"] == [one.source for one in stream.take_final()]
    assert "- thr" == stream.pending


@pytest.mark.parametrize("cut", range(1, 12))
def test_an_escape_sequence_that_is_cut_in_two_is_removed(cut: int) -> None:
    text = "safe \x1b]52;c;aGk=\x07text"

    assert ["safe text"] == [one.source for one in blocks_of(text[: 5 + cut], text[5 + cut :])]
