"""A run stands still when its calls bring nothing new."""

from collections.abc import Iterator

import pytest

from openkoi.progress import Gain, Step, StuckDetector, StuckLimits
from openkoi_hookspecs import ToolCall, ToolResult


def called(n: object = 0, tool: str = "read") -> ToolCall:
    return ToolCall("id", tool, {"path": f"{n}.py"})


def steps_until_stuck(
    pairs: Iterator[tuple[ToolCall, ToolResult]],
    *,
    polls: bool = False,
    reads: bool = True,
    changed: Gain = Gain.NOTHING,
) -> int:
    """After how many calls it is stopped; 100 is never."""
    stuck_detector = StuckDetector()
    for number in range(1, 100):
        call, result = next(pairs)
        stuck_detector.record_cycle([Step(call, result, reads=reads, polls=polls)], changed=changed)
        if stuck_detector.is_stuck:
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
    stuck_detector = StuckDetector()
    for pair in (same,) * 5 + ((called(1), ToolResult("new")),) + (same,) * 4:
        stuck_detector.record_cycle([Step(*pair, reads=True)])

    assert not stuck_detector.is_stuck


def test_arguments_are_the_same_in_any_order() -> None:
    one, other = ToolCall("1", "t", {"a": 1, "b": 2}), ToolCall("2", "t", {"b": 2, "a": 1})
    pairs = [(one, ToolResult("r")), (other, ToolResult("r"))]

    assert 6 == steps_until_stuck(cycle(*pairs))


def test_half_characters_in_a_result_are_counted_too() -> None:
    assert 6 == steps_until_stuck(cycle((called("\ud800"), ToolResult("\udfff"))))


@pytest.mark.row("C27")
def test_the_same_command_under_another_comment_is_the_same() -> None:
    pairs = ((ToolCall("1", "run_command", {"command": f"true # {n}"}), ToolResult("done")) for n in range(200))

    assert 6 == steps_until_stuck(pairs, reads=False)


@pytest.mark.row("C27")
def test_many_commands_that_change_nothing_end_at_the_last_ceiling() -> None:
    pairs = ((ToolCall("1", "run_command", {"command": f"echo {n}"}), ToolResult(f"{n}")) for n in range(200))

    assert 30 == steps_until_stuck(pairs, reads=False)


def test_commands_that_change_files_go_on() -> None:
    pairs = ((ToolCall("1", "run_command", {"command": f"touch {n}"}), ToolResult("")) for n in range(200))

    assert 100 == steps_until_stuck(pairs, reads=False, changed=Gain.REAL)


@pytest.mark.row("C78")
@pytest.mark.parametrize(("milliseconds", "calls"), [(2_000, 100), (1_999, 30), (0, 30)])
def test_a_command_whose_answer_changes_is_honest_waiting_if_it_waited(milliseconds: int, calls: int) -> None:
    status = ToolCall("1", "run_command", {"command": "make status"})
    pairs = ((status, ToolResult(f"{n} %", exit_code=0, milliseconds=milliseconds)) for n in range(200))

    assert calls == steps_until_stuck(pairs, reads=False)


@pytest.mark.parametrize(("milliseconds", "calls"), [(2_000, 100), (1_999, 6), (0, 6)])
def test_an_answer_that_stays_the_same_is_honest_waiting_if_the_call_waited(milliseconds: int, calls: int) -> None:
    waiting = ToolCall("1", "run_command", {"command": "sleep 5; test -f ready"})

    assert calls == steps_until_stuck(
        cycle((waiting, ToolResult("Exit code 1.", exit_code=1, milliseconds=milliseconds))), reads=False
    )


@pytest.mark.parametrize(
    ("pairs", "reads", "name"),
    [
        ([(called(), ToolResult("same"))], True, "generic_repeat"),
        ([(called(1), ToolResult("a")), (called(2), ToolResult("b"))], True, "ping_pong"),
    ],
)
def test_what_it_looks_like_has_a_name(pairs: list[tuple[ToolCall, ToolResult]], reads: bool, name: str) -> None:
    stuck_detector = StuckDetector()
    for call, result in pairs * 6:
        stuck_detector.record_cycle([Step(call, result, reads=reads)])

    assert (True, name) == (stuck_detector.is_stuck, stuck_detector.detector)


def test_the_last_ceiling_has_a_name_and_can_be_set() -> None:
    stuck_detector = StuckDetector(StuckLimits(breaker=3))
    for number in range(3):
        stuck_detector.record_cycle([Step(called(number), ToolResult(f"{number}"))])

    assert (True, "global_circuit_breaker") == (stuck_detector.is_stuck, stuck_detector.detector)


def test_a_repeated_call_that_brings_one_more_line_of_a_file_is_stopped_soon() -> None:
    assert 6 == steps_until_stuck(cycle((called(), ToolResult("done"))), reads=False, changed=Gain.SOMETHING)


def test_other_calls_that_bring_one_more_line_of_a_file_are_stopped_later() -> None:
    calls = ((called(n), ToolResult("done")) for n in range(200))

    assert 30 == steps_until_stuck(calls, reads=False, changed=Gain.SOMETHING)


def test_a_repeated_call_that_changes_files_is_never_stopped() -> None:
    assert 100 == steps_until_stuck(cycle((called(), ToolResult("done"))), reads=False, changed=Gain.REAL)
