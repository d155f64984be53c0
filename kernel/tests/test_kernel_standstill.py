"""A run stands still when its calls bring nothing new."""

from collections.abc import Iterator

import pytest

from openkoi.standstill import Standstill
from openkoi_hookspecs import ToolCall, ToolResult


def called(n: object = 0, tool: str = "read") -> ToolCall:
    return ToolCall("id", tool, {"path": f"{n}.py"})


def steps_until_stuck(pairs: Iterator[tuple[ToolCall, ToolResult]], polls: bool = False) -> int:
    """After how many calls it is stopped; 100 is never."""
    standstill = Standstill()
    for number in range(1, 100):
        standstill.note([next(pairs)], polls)
        if standstill.stuck:
            return number
    return 100


def cycle(*pairs: tuple[ToolCall, ToolResult]) -> Iterator[tuple[ToolCall, ToolResult]]:
    while True:
        yield from pairs


@pytest.mark.row("C27")
def test_the_same_call_with_the_same_result_is_stopped_within_six() -> None:
    assert 6 == steps_until_stuck(cycle((called(), ToolResult("same"))))


@pytest.mark.row("C27")
@pytest.mark.parametrize(("period", "most"), [(2, 8), (3, 8), (4, 9)])
def test_going_to_and_fro_is_stopped(period: int, most: int) -> None:
    pairs = [(called(n), ToolResult(f"file {n}")) for n in range(period)]

    assert most >= steps_until_stuck(cycle(*pairs))


@pytest.mark.row("C78")
def test_reading_many_files_is_never_stopped() -> None:
    assert 100 == steps_until_stuck((called(n), ToolResult("empty")) for n in range(200))


@pytest.mark.row("C78")
def test_waiting_for_a_result_that_changes_is_never_stopped() -> None:
    assert 100 == steps_until_stuck((called(), ToolResult(f"{n} %")) for n in range(200))


def test_tools_that_poll_are_never_stopped() -> None:
    assert 100 == steps_until_stuck(cycle((called(), ToolResult("not yet"))), polls=True)


def test_anything_new_begins_the_count_again() -> None:
    same = (called(), ToolResult("same"))
    standstill = Standstill()
    for pair in (same,) * 5 + ((called(1), ToolResult("new")),) + (same,) * 4:
        standstill.note([pair])

    assert not standstill.stuck


def test_arguments_are_the_same_in_any_order() -> None:
    one, other = ToolCall("1", "t", {"a": 1, "b": 2}), ToolCall("2", "t", {"b": 2, "a": 1})
    pairs = [(one, ToolResult("r")), (other, ToolResult("r"))]

    assert 6 == steps_until_stuck(cycle(*pairs))


def test_half_characters_in_a_result_are_counted_too() -> None:
    assert 6 == steps_until_stuck(cycle((called("\ud800"), ToolResult("\udfff"))))
