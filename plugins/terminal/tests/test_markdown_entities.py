"""What an entity of Markdown stands for is as harmless as if the model had written it."""

import re

import pytest

from openkoi_terminal import Style, strip_controls
from openkoi_terminal.markdown import render_markdown
from openkoi_terminal.safe_text import HIDDEN_RANGES

POINTS = sorted({end for pair in HIDDEN_RANGES for end in pair} - {0})
TABLE = "| a | b |\n|---|---|\n| {} | c |"
BLOCKS = ["{} text", "# {} text", "- {}\n- b", "> {} text", "1. {} text", "a {}\nb", TABLE]
SPANS = ["[a {}](b)", "**{}**", "![{}](b)", "<b>{}</b>", "[a](<b {}>)"]
OURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("place", [*BLOCKS, *SPANS])
def test_an_entity_for_a_hidden_character_leaves_nothing(place: str) -> None:
    for point in POINTS:
        for entity in (f"&#{point};", f"&#x{point:X};", f"&#{point:07};"):
            shown = OURS.sub("", render_markdown(place.format(f"x{entity}y"), Style()))
            assert strip_controls(shown) == shown, entity


def test_named_entities_leave_nothing_hidden() -> None:
    text = "a&shy;b&ZeroWidthSpace;c&lrm;d&rlm;e&NoBreak;f&zwnj;g&ApplyFunction;h&InvisibleTimes;i&ic;j"

    shown = OURS.sub("", render_markdown(text, Style())).strip()

    assert "abcdefghij" == shown


def test_an_entity_for_a_letter_is_shown_as_the_letter() -> None:
    assert "é < 漢" == render_markdown("&eacute; &lt; &#28450;", Style()).strip()
