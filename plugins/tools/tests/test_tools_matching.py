"""Test which text an edit refers to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_tools.byte_splice import TextChange
from openkoi_tools.closest_lines import find_closest
from openkoi_tools.matching import Edit, find_matches
from openkoi_tools.read_after_edit import lines_after

LINES = st.lists(st.sampled_from(["a", "  a", "b ", "\tb", "", "ab"]), max_size=6).map("\n".join)


def applied(text: str, edit: Edit) -> str:
    """The text after an edit."""
    found = find_matches(text, edit)
    for change in reversed(found.changes):
        text = text[: change.start] + change.new + text[change.end :]
    return text


def test_the_exact_text_is_taken_before_a_similar_one() -> None:
    found = find_matches("  a = 1\na = 1\n", Edit("\na = 1", "\na = 2"))

    assert (TextChange(7, 13, "\na = 2"),) == found.changes
    assert not found.tolerant


@pytest.mark.parametrize(
    ("text", "search", "replace", "expected"),
    [
        ("a  \nb\n", "a\nb\n", "a\nc\n", "a  \nc\n"),
        ("    if x:\n        y\n", "if x:\n    y\n", "if x:\n    z\n    y\n", "    if x:\n        z\n        y\n"),
        ("\tif x:\n\t\ty\n", "if x:\n    y", "if x:\n    if w:\n        y", "\tif x:\n\t\tif w:\n\t\t\ty\n"),
        ("\tif x:\n\t\ty\n", "if x:\n  y", "if x:\n  if w:\n    y", "\tif x:\n\t\tif w:\n\t\t\ty\n"),
        ("if x:\n    y\n", "\tif x:\n\t\ty", "\tif x:\n\t\tz", "if x:\n    z\n"),
        ("        deep()\n", "    deep()", "  wide()", "      wide()\n"),
        ("\t\tdeep()\n", "        deep()", "    wide()", "\twide()\n"),
        ("  last", "last\n", "new\n", "  new"),
        ("  last", "last\n", "one\ntwo\n\n", "  one\n  two\n"),
        ("  a\n  b\n", "a\nb\n", "", ""),
    ],
    ids=["trailing", "deeper", "tabs", "two", "spaces", "shallow", "less-tabs", "no-end", "blank-end", "delete"],
)
def test_wrong_white_space_is_adapted(text: str, search: str, replace: str, expected: str) -> None:
    assert expected == applied(text, Edit(search, replace))


def test_white_space_alone_is_only_found_as_written() -> None:
    assert () == find_matches("a\nb\n", Edit("   ", "x")).changes


def test_indentation_is_disregarded_only_when_nothing_stricter_fits() -> None:
    found = find_matches("    a  \na \n", Edit("a\n", "b\n"))

    assert (TextChange(8, 11, "b\n"),) == found.changes


def test_overlapping_places_are_all_counted_and_replaced_apart() -> None:
    assert 2 == len(find_matches("aaa", Edit("aa", "b")).changes)
    assert (TextChange(0, 2, "b"),) == find_matches("aaa", Edit("aa", "b", all=True)).changes


@given(LINES, LINES, LINES)
def test_a_found_place_is_like_the_search_but_for_white_space(text: str, search: str, replace: str) -> None:
    found = find_matches(text, Edit(search or "a", replace))

    for change in found.changes:
        assert (search or "a").split() == text[change.start : change.end].split()


@given(LINES, LINES, LINES)
def test_what_is_put_there_is_the_replacement_but_for_white_space(text: str, search: str, replace: str) -> None:
    found = find_matches(text, Edit(search or "a", replace))

    assert all(replace.split() == change.new.split() for change in found.changes)


def test_the_nearest_lines_are_named_best_first() -> None:
    lines = ["def login(user):", "    return user.ok", "", "def logout(user):", "    return None"]

    near = find_closest(lines, "def logim(user):\n    return user.ok")

    assert [(1, 2), (4, 5)] == [(one.first, one.last) for one in near]
    assert near[0].percent > 90 > near[1].percent


def test_nothing_is_near_in_an_empty_file() -> None:
    assert [] == find_closest([], "def login():")


def test_after_an_edit_the_whole_line_is_known() -> None:
    rows = list(lines_after("x = a + a\ny\n", [TextChange(4, 5, "b"), TextChange(8, 9, "b")]))

    assert [("x = a + a", "x = b + b")] * 2 == rows


def test_a_removed_line_makes_no_other_line_known() -> None:
    assert [("secret?", "")] == list(lines_after("a\nsecret?\nunseen\n", [TextChange(2, 10, "")]))
