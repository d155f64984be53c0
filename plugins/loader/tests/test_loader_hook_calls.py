"""Implementations are called with the facts that they take, and see no change that another one made."""

import asyncio
from types import SimpleNamespace
from typing import Any

from openkoi_hookspecs import Json, ToolCall, hookimpl, hooks
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
    held: list[ToolCall] = []

    async def waits(call: ToolCall) -> None:
        held.append(call)

    def keeps(call: ToolCall) -> None:
        held.append(call)

    call_before_tool(ToolCall("1", "shell", {"command": "ls"}), a=waits, b=keeps)
    assert held[0].arguments is not held[1].arguments


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
