"""Preview the prompt of a new task: ask memory, plugins and tools, but no model."""

from collections.abc import Sequence
from typing import cast

from openkoi_hookspecs import Koi, PluginEntry, Run, Task, Tool, ToolProvider

from .prompt_layers import Prompt, make_plan_pieces, make_task_pieces, make_tool_pieces, sort_pieces

COMMON_NOTE = "These are the instructions common to all models; some model families get a few lines more or fewer."


async def preview_prompt(koi: Koi, task: Task) -> Prompt:
    """Return the prompt of the first request."""
    run, plan = await koi.dry_run(task), await koi.plan(task)
    rows, warnings = await load_tools(run)
    pieces = [*make_tool_pieces(rows), *make_task_pieces(run.task), *make_plan_pieces(plan)]
    return Prompt(task.text, sort_pieces(pieces), (*koi.warnings(), *warnings, COMMON_NOTE))


async def load_tools(run: Run) -> tuple[list[tuple[str, Sequence[Tool]]], list[str]]:
    """Return the tools by plugin, and warnings about plugins that failed."""
    rows: list[tuple[str, Sequence[Tool]]] = []
    warnings: list[str] = []
    for entry in run.koi.plugins("tools"):
        try:
            rows.append((entry.name, await list_tools(entry, run)))
        except Exception as error:  # a tool provider is a plugin: the others are shown anyway
            warnings.append(f"The tools of {entry.name} cannot be loaded: {error}")
    return rows, warnings


async def list_tools(entry: PluginEntry, run: Run) -> Sequence[Tool]:
    """Return the tools of a provider."""
    provider = cast(ToolProvider, await entry.load())  # the kind says what it is
    return tuple(await provider.tools(run))
