"""The prompt of a task that is about to be run: memory, plugins and toolboxes are asked, and no model is called."""

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

from .layers import KERNEL, Prompt, in_order, plan_pieces, task_pieces, tool_pieces

COMMON = "The instructions are those that all models have in common; some model families get a few lines more or fewer."


async def ahead(koi: Koi, task: Task) -> Prompt:
    """Return the prompt that the model would get first."""
    run = await koi.dry_run(task)
    plan, refusals = await preview_plan(run)
    brought, faults = await tools_of(run)
    pieces = [*tool_pieces(brought), *task_pieces(run.task), *plan_pieces(plan)]
    return Prompt(task.text, in_order(pieces), (*refusals, *faults, COMMON))


async def preview_plan(run: Run) -> tuple[Plan, Sequence[str]]:
    """Return the plan that a run would make, and the sections that are too long."""
    task = run.task
    found = Recall(tuple(await run.search(build_recall_query(task))))
    shown = await run.fold(hooks.after_recall, found, task=task, run=run)
    given = await run.collect(hooks.before_plan, task=task, recall=shown, run=run)
    every = [(KERNEL, (executor_instructions(),)), (MEMORY_SOURCE, recall_sections(shown)), *given]
    told = [replace(section, source=plugin) for plugin, sections in every for section in sections]
    kept, refusals = refuse_oversized(told, hooks.before_plan.__name__, max_total=MAX_TOTAL_BYTES)
    plan = Plan(sections=merge_sections(kept))
    return await run.fold(hooks.after_plan, plan, task=task, run=run), refusals


async def tools_of(run: Run) -> tuple[list[tuple[str, Sequence[Tool]]], list[str]]:
    """The tools by who brings them, and why some cannot be had."""
    brought: list[tuple[str, Sequence[Tool]]] = []
    faults: list[str] = []
    for entry in run.koi.plugins("tools"):
        try:
            brought.append((entry.name, await list_tools(entry, run)))
        except Exception as error:  # a toolbox is a plugin: what the others bring is told all the same
            faults.append(f"The tools of {entry.name} cannot be had: {error}")
    return brought, faults


async def list_tools(entry: PluginEntry, run: Run) -> Sequence[Tool]:
    """Return the tools of a toolbox."""
    toolbox = cast(ToolProvider, await entry.load())  # the kind says what it is
    return tuple(await toolbox.tools(run))
