"""Blocks without markup are rendered as by the parser, which they do not need."""

from hypothesis import given
from hypothesis import strategies as st

from openkoi_terminal import MarkdownStream, Style
from openkoi_terminal.markdown import parse, render_nodes, render_text

WORDS = (
    *(
        "word",
        "two words",
        "1. one",
        "12) twelve",
        "- item",
        "* item",
        "+ 3 items",
        "# Title",
        "###### Low",
        "####### no",
    ),
    *("## Closed ##", "# C#", "#", "-", "- - deep", "- # heading", "1986. A year", "> quoted", "- [x] done", "a | b"),
    *(
        "- \u00e9t\u00e9",
        "- \u6f22\u5b57",
        "-  two spaces",
        "   indented",
        "# ",
        "a\\",
        "x > y",
        "50 % of $3",
        "---",
        "===",
    ),
    *(
        "a  ",
        "tab\there",
        "&amp;",
        "<b>",
        "`code`",
        "*em*",
        "_em_",
        "~~no~~",
        "!",
        "![i](u)",
        "http://a.b",
        "\u00a0",
        "",
    ),
)
texts = st.lists(st.sampled_from(WORDS), max_size=6).map("\n".join)


@given(texts)
def test_text_without_markup_is_rendered_as_the_parser_renders_it(text: str) -> None:
    stream, style = MarkdownStream(), Style()
    stream.add(text)
    blocks = [block for block in stream.finish() if block.kind != "fence"]

    parsed = ["\n".join(render_nodes(parse(block.source).children, style)) for block in blocks]
    assert parsed == [render_text(block, style) for block in blocks]
