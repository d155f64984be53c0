"""What a described agent adds to a run: its instructions, and what a person allows call by call. Knows no team."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import chain

from openkoi_hookspecs import Agent, Ask, Effect, Layer, Permission, Run, Section, Task, Tool, ToolCall, hookimpl
from openkoi_schema import first_protected, written_paths

from .named_paths import named_paths


class AsDescribed:
    """Speaks for the agent of a task; silent in a task without one. There is nothing to configure."""

    @hookimpl
    def before_plan(self, task: Task) -> Sequence[Section] | None:
        """Tell the model who it is."""
        if task.agent is None or not task.agent.instructions:
            return None
        return [Section("agent", task.agent.instructions, layer=Layer.SYSTEM)]

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Permission | None:
        """Ask a person before a tool that needs an approval, and before a protected path is written to."""
        agent = run.task.agent
        if agent is None:
            return None
        if needs_approval(tool.name, agent):
            return Ask(f"{agent.name} uses {tool.name} only when a person allows it.")
        if tool.effect is Effect.READS:
            return None
        paths = chain(written_paths(call, tool), named_paths(call.arguments))
        touched = first_protected(paths, agent.protected, run.workspace)
        if touched is None:
            return None
        return Ask(
            f"{touched.path} is protected by {touched.glob!r}: {agent.name} changes it only when a person allows it."
        )


def needs_approval(tool: str, agent: Agent) -> bool:
    """Whether a person allows each call of a tool."""
    return any(fnmatchcase(tool, pattern) for pattern in agent.approvals)
