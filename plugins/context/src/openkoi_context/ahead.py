"""The prompt of a task that is about to be run: memory, plugins and toolboxes are asked, and no model is called."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from openkoi_hookspecs import Koi, Plan, PluginEntry, Recall, Run, Task, Tool, ToolProvider, hooks
from openkoi_prompt import MAX_TOTAL_BYTES, MEMORY, instructions, merged, recall_query, recalled, refuse_oversized

from .layers import KERNEL, Prompt, in_order, plan_pieces, task_pieces, tool_pieces
from .looking import Looking

COMMON = "The instructions are those that all models have in common; some model families get a few lines more or fewer."


async def ahead(koi: Koi, task: Task, workspace: Path) -> Prompt:
    """What the model would be told first."""
    run = Looking(koi, task, workspace)
    plan, refusals = await planned(koi, task, run)
    brought, faults = await tools_of(koi, run)
    pieces = [*tool_pieces(brought), *task_pieces(task), *plan_pieces(plan)]
    return Prompt(task.text, in_order(pieces), (*refusals, *faults, COMMON))


async def planned(koi: Koi, task: Task, run: Run) -> tuple[Plan, Sequence[str]]:
    """The plan as a run would make it, and which sections are too long for it."""
    found = Recall(tuple(await koi.search(recall_query(task))))
    shown = await koi.fold(hooks.after_recall, found, task=task, run=run)
    given = await koi.collect(hooks.before_plan, task=task, recall=shown, run=run)
    every = [(KERNEL, (instructions(),)), (MEMORY, recalled(shown)), *given]
    told = [replace(section, source=plugin) for plugin, sections in every for section in sections]
    kept, refusals = refuse_oversized(told, hooks.before_plan.__name__, max_total=MAX_TOTAL_BYTES)
    plan = Plan(sections=merged(kept))
    return await koi.fold(hooks.after_plan, plan, task=task, run=run), refusals


async def tools_of(koi: Koi, run: Run) -> tuple[list[tuple[str, Sequence[Tool]]], list[str]]:
    """The tools by who brings them, and why some cannot be had."""
    brought: list[tuple[str, Sequence[Tool]]] = []
    faults: list[str] = []
    for entry in koi.plugins("tools"):
        try:
            brought.append((entry.name, await asked(entry, run)))
        except Exception as error:  # a toolbox is a plugin: what the others bring is told all the same
            faults.append(f"The tools of {entry.name} cannot be had: {error}")
    return brought, faults


async def asked(entry: PluginEntry, run: Run) -> Sequence[Tool]:
    """What a toolbox offers."""
    toolbox = cast(ToolProvider, await entry.load())  # the kind says what it is
    return tuple(await toolbox.tools(run))
