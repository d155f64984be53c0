"""Test that the diff of any two versions of a file, applied to one, gives the other."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st

from openkoi_tools.byte_splice import splice_bytes
from openkoi_tools.hunk_placement import UnplacedHunk, order_changes, place_hunks
from openkoi_tools.hunks import Hunk
from openkoi_tools.patch import parse_patch
from openkoi_tools.text_document import parse_document

PIECES = [
    "a",
    "b",
    "",
    "  c",
    "\t",
    "-- x",
    "++ y",
    "- z",
    "@@ -1 +1 @@",
    "\\ n",
    "diff --git a/x b/x",
    "é",
    "\x0c",
    "\u2028",
    "*** End Patch",
]
LINES = st.lists(st.sampled_from(PIECES), max_size=14)
ENDINGS = st.sampled_from(["\n", "\r\n"])


@st.composite
def versions(draw: st.DrawFn, *, unlike: bool = False) -> tuple[str, str]:
    """Two texts that have most lines in common, with the same line endings, with or without one at the end."""
    ending, old = draw(ENDINGS), draw(LINES)
    old = [f"{number}{line}" for number, line in enumerate(old)] if unlike else old
    new = list(old)
    for turn in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(new)))
        added = draw(st.lists(st.sampled_from(PIECES), max_size=3))
        new[at : at + draw(st.integers(0, 2))] = (
            [f"n{turn}{n}{line}" for n, line in enumerate(added)] if unlike else added
        )
    before, after = (lines_with(ending, lines, closed=draw(st.booleans())) for lines in (old, new))
    return (before, after) if "\n" in before else (before, after.replace("\r\n", "\n"))


@given(versions(), st.integers(1, 4))
def test_a_difference_applied_to_the_old_text_is_the_new_one(pair: tuple[str, str], context: int) -> None:
    old, new = pair

    assert new == applied(difference(old, new, context), old)


@given(versions(unlike=True), st.integers(1, 3), st.integers(0, 40))
def test_where_all_lines_differ_their_numbers_may_be_wrong(pair: tuple[str, str], context: int, at: int) -> None:
    old, new = pair

    assert new == applied(difference(old, new, context), old, lambda hunk: replace(hunk, at=at))


@given(versions())
def test_without_line_numbers_it_is_applied_rightly_or_not_at_all(pair: tuple[str, str]) -> None:
    old, new = pair

    assert applied(difference(old, new, 3), old, lambda hunk: replace(hunk, at=0)) in (None, new)


def lines_with(ending: str, lines: Sequence[str], *, closed: bool) -> str:
    """Lines as a text."""
    return ending.join(lines) + (ending if closed and lines else "")


def difference(old: str, new: str, context: int) -> str:
    """A diff as tools write it, with a mark where a line feed is missing."""
    diff = unified_diff(split(old), split(new), "a/x", "b/x", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def split(text: str) -> list[str]:
    """Split lines like diff: only at line feeds."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + ([text.split("\n")[-1]] if text.split("\n")[-1] else [])


def applied(diff: str, old: str, output: Callable[[Hunk], Hunk] = replace) -> str | None:
    """The text after a patch; None if the patch does not fit."""
    text = parse_document(old.encode())
    hunks = [output(hunk) for file in (parse_patch(diff) if diff else []) for hunk in file.hunks]
    fits = place_hunks(text.plain, hunks)
    if isinstance(fits, UnplacedHunk):
        return None
    changes = order_changes(fits)
    assert changes is not None
    return splice_bytes(text, changes).decode()
