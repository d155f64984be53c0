"""Numbers with their nouns."""

from openkoi_base.counts import format_count


def test_one_is_singular_and_large_numbers_have_separators() -> None:
    assert ["0 tasks", "1 task", "1,200 tasks"] == [format_count(count, "task") for count in (0, 1, 1_200)]
    assert ["1 check fails", "2 checks fail"] == [format_count(count, "check fails", "checks fail") for count in (1, 2)]
