"""Add a described agent's instructions and approvals to a run."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import chain

from openkoi_base.schema.path_parameters import written_paths
from openkoi_base.schema.protected_paths import first_protected
from openkoi_hookspecs import Agent, Ask, Effect, Layer, Permission, Run, Section, Task, Tool, ToolCall, hookimpl

from .named_paths import named_paths


class AgentHook:
    """Applies the agent of a task, if it has one. Has no settings."""

    @hookimpl
    def before_plan(self, task: Task) -> Sequence[Section] | None:
        """Add the agent's instructions."""
        if task.agent is None or not task.agent.instructions:
            return None
        return [Section("agent", task.agent.instructions, layer=Layer.SYSTEM)]

    @hookimpl
    def before_tool(self, call: ToolCall, tool: Tool, run: Run) -> Permission | None:
        """Ask the user before a tool that needs approval, and before a write to a protected path."""
        agent = run.task.agent
        if agent is None:
            return None
        if needs_approval(tool.name, agent):
            return Ask(f"{agent.name} needs your approval to use {tool.name}.")
        if tool.effect is Effect.READS:
            return None
        paths = chain(written_paths(call, tool), named_paths(call.arguments))
        touched = first_protected(paths, agent.protected, run.workspace)
        if touched is None:
            return None
        return Ask(f"{touched.path} is protected by {touched.glob!r}: {agent.name} needs your approval to change it.")


def needs_approval(tool: str, agent: Agent) -> bool:
    """Return whether each call of a tool needs the user's approval."""
    return any(fnmatchcase(tool, pattern) for pattern in agent.approvals)
