"""Call the hooks that a task does not reach often enough, such as those of posts, with synthetic facts."""

import inspect
from typing import TYPE_CHECKING, Any

from .table import describe_answer

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi, Result, Run, Task, ToolResult

TIMES = 5  # estimate: a counter or a cache that fails later is rare, and each call costs time


async def call_again(koi: "OpenedKoi", task: "Task", result: "Result") -> dict[tuple[str, str], str]:
    """Call hooks until each implementation was called ``TIMES`` times, since some fail later; return the results."""
    from openkoi_hookspecs import hooks

    facts = make_facts(koi, await koi.dry_run(task), result)
    returned: dict[tuple[str, str], str] = {}
    for times in range(1, TIMES + 1):
        for name in dict.fromkeys(one.hook for one in koi.hook_activity() if one.calls < times):
            hook: Any = getattr(hooks, name)
            taken = {one: facts[name, one] if (name, one) in facts else facts["", one] for one in parameters(hook)}
            for plugin, answer in await koi.collect(hook, **taken):
                returned[name, plugin] = describe_answer(answer)
    return returned


async def call_nothing(arguments: object) -> "ToolResult":
    """Return the result of the synthetic tool."""
    from openkoi_hookspecs import ToolResult

    return ToolResult("Koi are carp.")


def parameters(hook: Any) -> list[str]:
    return list(inspect.signature(hook).parameters)


def make_facts(koi: "OpenedKoi", run: "Run", result: "Result") -> dict[tuple[str, str], object]:
    """Return a value for each parameter of any hook; by hook, if two hooks use the same name for different things."""
    from openkoi_hookspecs import Evaluation, Learning, Pattern, Recall, Tool, ToolCall, ToolResult
    from openkoi_hookspecs.events import WarningIssued
    from openkoi_hookspecs.integrations import Post, Sender

    general = {
        "koi": koi,
        "run": run,
        "task": result.task,
        "recall": Recall(),
        "plan": result.best.plan,
        "work": result.best.work,
        "evaluation": result.best.evaluation or Evaluation(),
        "call": ToolCall("1", "read_file", {"path": "pond.md"}),
        "tool": Tool("read_file", "Read a file.", {"type": "object"}, call_nothing),
        "result": result,
        "learning": Learning("doctor", "heuristic", "Koi are carp."),
        "pattern": Pattern("Feed the koi", kind="time", samples=3, days=3, confidence=0.9),
        "message": Post("Koi are carp.", app="doctor", channel="pond", sender=Sender("doctor")),
        "event": WarningIssued("This is a check of the hooks."),
    }
    return {("", name): value for name, value in general.items()} | {
        ("after_tool", "result"): ToolResult("Koi are carp.", call="1")
    }
