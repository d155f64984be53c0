"""Preview the prompt of a new task: memory, plugins and tools are asked, but no model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from openkoi_hookspecs import Koi, Plan, PluginEntry, Recall, Run, Task, Tool, ToolProvider, hooks
from openkoi_prompt import (
    MAX_TOTAL_BYTES,
    MEMORY_SOURCE,
    build_recall_query,
    executor_instructions,
    merge_sections,
    recall_sections,
    refuse_oversized,
)

from .prompt_layers import KERNEL, Prompt, make_plan_pieces, make_task_pieces, make_tool_pieces, sort_pieces

COMMON_NOTE = "These are the instructions common to all models; some model families get a few lines more or fewer."


async def preview_prompt(koi: Koi, task: Task) -> Prompt:
    """Return the prompt of the first request."""
    run = await koi.dry_run(task)
    plan, refusals = await preview_plan(run)
    brought, warnings = await load_tools(run)
    pieces = [*make_tool_pieces(brought), *make_task_pieces(run.task), *make_plan_pieces(plan)]
    return Prompt(task.text, sort_pieces(pieces), (*refusals, *warnings, COMMON_NOTE))


async def preview_plan(run: Run) -> tuple[Plan, Sequence[str]]:
    """Return the plan that a run would make, and warnings about oversized sections."""
    task = run.task
    found = Recall(tuple(await run.search(build_recall_query(task))))
    shown = await run.fold(hooks.after_recall, found, task=task, run=run)
    given = await run.collect(hooks.before_plan, task=task, recall=shown, run=run)
    every = [(KERNEL, (executor_instructions(),)), (MEMORY_SOURCE, recall_sections(shown)), *given]
    attributed = [replace(section, source=plugin) for plugin, sections in every for section in sections]
    kept, refusals = refuse_oversized(attributed, hooks.before_plan.__name__, max_total=MAX_TOTAL_BYTES)
    plan = Plan(sections=merge_sections(kept))
    return await run.fold(hooks.after_plan, plan, task=task, run=run), refusals


async def load_tools(run: Run) -> tuple[list[tuple[str, Sequence[Tool]]], list[str]]:
    """Return the tools by plugin, and warnings about plugins that failed."""
    brought: list[tuple[str, Sequence[Tool]]] = []
    warnings: list[str] = []
    for entry in run.koi.plugins("tools"):
        try:
            brought.append((entry.name, await list_tools(entry, run)))
        except Exception as error:  # a toolbox is a plugin: the others are shown anyway
            warnings.append(f"The tools of {entry.name} cannot be loaded: {error}")
    return brought, warnings


async def list_tools(entry: PluginEntry, run: Run) -> Sequence[Tool]:
    """Return the tools of a toolbox."""
    toolbox = cast(ToolProvider, await entry.load())  # the kind says what it is
    return tuple(await toolbox.tools(run))
