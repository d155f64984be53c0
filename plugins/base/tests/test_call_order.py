"""Test which of a turn's tool calls run at the same time."""

import asyncio

import pytest

from openkoi_base.schema.call_order import group_calls, run_in_order
from openkoi_hookspecs import ToolCall

READING = frozenset({"read_file", "search"})


def call(tool: str, path: object = None, seconds: float = 0.0) -> ToolCall:
    return ToolCall(str(seconds), tool, {} if path is None else {"path": path})  # type: ignore[dict-item]  # any value


@pytest.mark.parametrize(
    ("calls", "groups"),
    [
        ([call("write_file", "a"), call("write_file", "./a"), call("write_file", "b")], [[0, 1], [2]]),
        ([call("read_file", "a"), call("edit_file", "a"), call("read_file", "b/../a")], [[0, 1, 2]]),
        ([call("read_file", "a"), call("read_file", "a"), call("search", "a")], [[0], [1], [2]]),
        (
            [call("run_command"), call("run_command"), call("write_file", 3), call("write_file", "")],
            [[0], [1], [2], [3]],
        ),
    ],
)
def test_calls_about_a_path_that_one_of_them_changes_are_a_group(
    calls: list[ToolCall], groups: list[list[int]]
) -> None:
    assert groups == group_calls(calls, READING)


def test_a_group_keeps_its_order_and_other_calls_do_not_wait() -> None:
    ended: list[str] = []

    async def execute(one: ToolCall) -> str:
        await asyncio.sleep(float(one.id))
        ended.append(one.id)
        return one.id

    calls = [call("edit_file", "a", 0.2), call("edit_file", "a", 0.0), call("edit_file", "b", 0.1)]
    results = asyncio.run(run_in_order(calls, READING, execute))

    assert ["0.2", "0.0", "0.1"] == results
    assert ["0.1", "0.2", "0.0"] == ended
