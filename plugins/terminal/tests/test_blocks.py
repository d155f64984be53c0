"""Final blocks of streamed Markdown: the same ones, however the text is cut."""

import sys
from itertools import pairwise
from time import process_time
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from openkoi_terminal import Block, MarkdownStream, tail_rows

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
LINES = (
    *("words of a paragraph", "a|b", "|a|b|", "--|--", "|:-|-:|", "|", "--", "===", "-", "- item", "2. two", "1. one"),
    *(
        "> quoted",
        "# Title",
        "```",
        "~~~ py",
        "<b>x</b>",
        "<!-- a",
        "[a]: /b",
        "[a]:",
        "'title'",
        "    indented",
        "\tx",
    ),
    *(
        "",
        " ",
        "***",
        "\\",
        "w" * 200,
        "\u9ed2\u8336" * 30,
        "e\u0301\u200d\U0001f469 " * 9,
        "\x1b[31mred\x1b[0m",
        "| x |" * 9,
    ),
)
lines_of_texts = st.lists(st.lists(st.sampled_from(LINES) | st.text(max_size=9), min_size=1, max_size=3), max_size=12)
repeats = st.lists(st.integers(1, 9), min_size=12, max_size=12)
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


@given(lines_of_texts, repeats, st.integers(1, 300))
def test_lines_that_are_not_parsed_again_change_nothing(lines: list[list[str]], repeats: list[int], size: int) -> None:
    text = "\n".join(line for some, times in zip(lines, repeats, strict=False) for line in some * times)
    stream, whole = MarkdownStream(), MarkdownStream()
    for start in range(0, len(text), size):
        whole.settled = 0  # all that is pending is parsed again
        for one in (stream, whole):
            one.add(text[start : start + size])
        assert whole.take_final() == stream.take_final()
        assert tail_rows(whole.pending, 79, 10) == tail_rows(stream.pending, 79, 10)
    whole.settled = 0
    assert whole.finish() == stream.finish()


@pytest.mark.parametrize(
    ("head", "line"),
    [("", "some words of a paragraph that grows\n"), ("", "\u9ed2\u8336 " * 20 + "\n"), ("|a|b|\n|-|-|\n", "|1|2|\n")],
)
def test_a_line_costs_as_much_in_a_long_block_as_in_a_short_one(head: str, line: str) -> None:
    stream = MarkdownStream()
    stream.add(head + line * 10)
    stream.take_final()
    in_short = count_calls(stream, line)
    stream.add(line * (8_000 // len(line)))
    stream.take_final()

    assert in_short == count_calls(stream, line)


def count_calls(stream: MarkdownStream, line: str) -> int:
    """Return how many functions are called to add a line and to take what is final."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        stream.add(line)
        assert [] == [*stream.take_final()]
    finally:
        sys.setprofile(before)
    return calls


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
