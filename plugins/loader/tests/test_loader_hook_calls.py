"""Implementations are called with the facts that they take, and see no change that another one made."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from anyio import create_task_group, move_on_after

from openkoi_hookspecs import Json, Section, ToolCall, hookimpl, hooks
from openkoi_loader.hooks import Hooks

NOTHING: Any = None


def call_before_tool(call: ToolCall, **functions: Any) -> None:
    """Call these implementations of ``before_tool`` in the order of their names."""
    registered = Hooks(print)
    assert not registered.register({name: make_plugin(function) for name, function in sorted(functions.items())})
    asyncio.run(registered.collect(hooks.before_tool, call=call, tool=NOTHING, run=NOTHING))


def make_plugin(function: Any) -> object:
    function.__name__ = "before_tool"
    return SimpleNamespace(before_tool=hookimpl(function))


def test_changed_arguments_reach_neither_the_next_implementation_nor_the_call() -> None:
    seen: list[Json] = []
    call = ToolCall("1", "shell", {"command": "ls", "env": {"A": "1"}})

    def changes(call: ToolCall) -> None:
        call.arguments["env"]["A"] = "2"  # type: ignore[index, call-overload]

    def reads(call: ToolCall) -> None:
        seen.append(call.arguments["env"])

    call_before_tool(call, a=changes, b=reads)
    assert seen == [{"A": "1"}]
    assert call.arguments == {"command": "ls", "env": {"A": "1"}}


def test_what_an_awaited_implementation_holds_is_passed_to_no_other() -> None:
    calls: list[ToolCall] = []

    async def waits(call: ToolCall) -> None:
        calls.append(call)

    def keeps(call: ToolCall) -> None:
        calls.append(call)

    call_before_tool(ToolCall("1", "shell", {"command": "ls"}), a=waits, b=keeps)
    assert calls[0].arguments is not calls[1].arguments


def test_facts_are_passed_by_name_where_a_function_takes_them_so() -> None:
    seen: list[object] = []
    call = ToolCall("1", "shell", {"command": "ls"})

    def by_keyword(*, tool: object, call: ToolCall) -> None:
        seen.append((tool, call.tool))

    def all_of_them(**facts: Any) -> None:
        seen.append((sorted(facts), facts["call"].tool))

    def other_order_with_default(run: object, factor: int = 3, call: ToolCall | None = None) -> None:
        seen.append((run, factor, call and call.tool))

    call_before_tool(call, a=by_keyword, b=all_of_them, c=other_order_with_default)
    assert seen == [(None, "shell"), (["call", "run", "tool"], "shell"), (None, 3, "shell")]


def plan(timeout: float, function: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """Call an implementation of ``before_plan``; return its answers and what was reported."""
    reports: list[str] = []
    registered = Hooks(reports.append, timeout=timeout)
    function.__name__ = "before_plan"
    assert not registered.register({"pond": SimpleNamespace(before_plan=hookimpl(function))})

    async def call() -> list[tuple[str, Any]]:
        answers = await registered.collect(hooks.before_plan, task=NOTHING, recall=NOTHING, run=NOTHING)
        await asyncio.sleep(0)  # nothing of a cancellation is left
        assert not asyncio.current_task().cancelling()  # type: ignore[union-attr]  # it runs
        return answers

    return asyncio.run(call()), reports


def test_timeouts_and_groups_of_an_implementation_are_its_own() -> None:
    async def waits(task: Any) -> list[Section]:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(60)
        with move_on_after(0.01):
            await asyncio.sleep(60)
        async with create_task_group() as group:
            group.start_soon(asyncio.sleep, 60)
            group.cancel_scope.cancel()
        await asyncio.sleep(0.01)
        return [Section("a", "b")]

    assert ([("pond", (Section("a", "b"),))], []) == plan(60, waits)


def test_an_implementation_that_ignores_its_deadline_is_left_behind() -> None:
    async def waits(task: Any) -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)

    assert ([], ["Plugin 'pond' failed at before_plan: did not answer within 1 s (3 failures disable it)"]) == plan(
        1, waits
    )


def test_an_implementation_that_is_late_may_clean_up_and_its_answer_is_dropped() -> None:
    cleaned = []

    async def waits(task: Any) -> list[Section]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            cleaned.append("pond")
        return [Section("a", "b")]

    answers, (report,) = plan(0.01, waits)

    assert ([], ["pond"]) == (answers, cleaned)
    assert "did not answer within 0.01 s" in report


def test_an_implementation_cannot_cancel_its_caller() -> None:
    async def cancels(task: Any) -> list[Section]:
        asyncio.current_task().cancel()  # type: ignore[union-attr]  # it runs
        return [Section("a", "b")]

    answers, (report,) = plan(60, cancels)

    assert [] == answers
    assert "it cancelled the task that called it" in report
