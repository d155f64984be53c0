"""Give a character of several code points as many columns as the terminal does.

prompt_toolkit adds up the columns of the code points: it counts four for an emoji joined from two, instead of two.
"""

from itertools import accumulate

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.formatted_text.utils import fragment_list_to_text
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput

BACK = "\b"
DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that make a terminal reorder a line: pasted text would look different from what is sent."""
UNCOUNTED = "[ZeroWidthEscape]"  # how prompt_toolkit marks what is written and fills no column


class GraphemeProcessor(Processor):
    """Shows each character with the width that ``wcwidth`` gives it as a whole."""

    def apply_transformation(self, given: TransformationInput) -> Transformation:
        text = fragment_list_to_text(given.fragments)
        if text.isascii():
            return Transformation(given.fragments)
        from wcwidth import iter_graphemes

        graphemes = [*iter_graphemes(text)]
        if len(graphemes) == len(text) and DIRECTIONS.isdisjoint(text):
            return Transformation(given.fragments)
        parts = [split_grapheme(one) for one in graphemes]
        fragments: StyleAndTextTuples = [
            fragment for char, rest in parts for fragment in (("", char), *([(UNCOUNTED, rest)] if rest else []))
        ]
        starts = [0, *accumulate(map(len, graphemes))]
        places = [0, *accumulate(len(char) for char, _ in parts)]
        return Transformation(
            fragments,
            source_to_display=lambda at: map_position(at, starts, places),
            display_to_source=lambda at: map_position(at, places, starts),
        )


def split_grapheme(grapheme: str) -> tuple[str, str]:
    """Return the part of a character that prompt_toolkit counts correctly, and the rest of it."""
    from wcwidth import wcswidth, wcwidth

    if grapheme in DIRECTIONS:
        from openkoi_terminal.safe_text import show_hidden

        return show_hidden(grapheme), ""
    columns = max(wcswidth(grapheme), 0)
    counted = 0
    for place, letter in enumerate(grapheme, 1):
        counted += max(wcwidth(letter), 0)
        if counted >= columns:
            return grapheme[:place], grapheme[place:]
    return " " * columns, f"{BACK * columns}{grapheme}"  # such as a heart that a variation selector makes wide


def map_position(at: int, known: list[int], wanted: list[int]) -> int:
    """Return the position that corresponds to another one; within a character, the position of its start."""
    from bisect import bisect_right

    place = bisect_right(known, at) - 1
    return wanted[place] + (at - known[place] if place == len(known) - 1 else 0)
