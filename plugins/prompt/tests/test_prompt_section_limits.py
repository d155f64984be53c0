"""Sections beyond the caps are refused by plugin, the largest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Section
from openkoi_prompt import MEMORY_SOURCE, max_total_bytes, refuse_oversized, total_size

KIB = 1024
MOST = 256 * KIB


def section(source: str, size: int, name: str = "n") -> Section:
    return Section(name, "x" * (size - len(name)), source=source)


def names(sections: tuple[Section, ...]) -> list[str]:
    return [one.source for one in sections]


@pytest.mark.parametrize(("size", "admitted"), [(64 * KIB, True), (64 * KIB + 1, False)])
def test_a_plugin_may_add_64_kb(size: int, admitted: bool) -> None:
    sections, warnings = refuse_oversized([section("acme", size)], "before_plan", max_total=MOST)

    assert (admitted, not admitted) == (bool(sections), bool(warnings))


def test_the_sections_of_a_plugin_count_together_and_are_refused_together() -> None:
    sections, warnings = refuse_oversized(
        [section("acme", 40 * KIB, "a"), section("other", 10), section("acme", 30 * KIB, "b")],
        "before_plan",
        max_total=MOST,
    )

    assert ["other"] == names(sections)
    assert (
        "Omitted the sections a, b (71,680 bytes) that acme added at before_plan: "
        "a plugin may add at most 65,536 bytes.",
    ) == warnings


def test_bytes_are_counted_and_not_characters() -> None:
    sections, _ = refuse_oversized([Section("n", "鯉" * 22_000, source="acme")], "before_plan", max_total=MOST)

    assert () == sections


def test_the_largest_plugin_goes_first_until_the_rest_fits() -> None:
    sections = [section("a", 60_000), section("b", 64_000), section("c", 63_000), section("d", 100)]
    kept, warnings = refuse_oversized(sections, "before_plan", max_total=100_000)

    assert ["a", "d"] == names(kept)
    assert [
        "Omitted the section n (64,000 bytes) that b added at before_plan: "
        "all sections together have 187,100 bytes, but at most 100,000 fit the model.",
        "Omitted the section n (63,000 bytes) that c added at before_plan: "
        "all sections together have 123,100 bytes, but at most 100,000 fit the model.",
    ] == [*warnings]


def test_what_memory_recalls_counts_towards_the_total_only() -> None:
    recalled = section(MEMORY_SOURCE, 80_000)

    assert (recalled,) == refuse_oversized([recalled], "before_plan", max_total=MOST)[0]
    assert () == refuse_oversized([recalled], "before_plan", max_total=79_999)[0]


def test_what_is_there_already_takes_up_room() -> None:
    sections, warnings = refuse_oversized([section("acme", 50)], "before_execute", max_total=100, taken=51)

    assert () == sections
    assert "all sections together have 101 bytes" in warnings[0]


def test_the_total_is_256_kb_or_a_quarter_of_the_window() -> None:
    assert (8_192, MOST) == (max_total_bytes(8_192), max_total_bytes(1_000_000))


SECTIONS = st.lists(st.builds(section, st.sampled_from("abcde"), st.integers(1, 90_000)), max_size=12)


@given(SECTIONS, st.integers(0, MOST), st.integers(0, MOST))
def test_whatever_is_given_what_is_kept_fits_and_every_refusal_is_named(
    given: list[Section], most: int, taken: int
) -> None:
    sections, warnings = refuse_oversized(given, "before_plan", max_total=most, taken=taken)

    assert not sections or taken + total_size(sections) <= most
    assert {one.source for one in given} - {*names(sections)} == {text.split(" that ")[1][0] for text in warnings}
    assert [one for one in given if one.source in names(sections)] == [*sections]
