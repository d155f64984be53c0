"""Let the model work, and see what came of it. Knows conversations and files' changes; knows no evaluation."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from openkoi_decision.best import best_of
from openkoi_decision.facts import policy_of
from openkoi_files.diffs import changed_files
from openkoi_hookspecs import (
    ExecutionResult,
    KoiError,
    LimitExceededError,
    Plan,
    PluginError,
    Policy,
    Tool,
    ToolProvider,
    events,
    hooks,
)
from openkoi_isolation import confined, sanitize_text, type_error_of
from openkoi_prompt import afresh, conversation_end, feedback, merged, opening, system_blocks
from openkoi_prompt.conversation import Conversation
from openkoi_schema import offered

from ..inner_loop import InnerLoopResult, ended_by_limit, run_inner_loop
from ..run import TaskRun
from ..section_limits import admit


async def execute(plan: Plan, run: TaskRun) -> ExecutionResult:
    """One execution: from the opening, from the last evaluation's feedback, or afresh from the best so far."""
    if policy_of(run.task, plan, run.evaluators) is Policy.JUDGE and not plan.asks:
        run.budget.keep_back(*await run.models.judgement_cost())
    ending = await (delegated(plan, run) if run.agent.worker else spoken(plan, run))
    if known := run.replay.take(events.ExecutionFinished):
        if run.replay.rejudge and not run.replay.active:
            await run.go_back_to(known.work)
        return known.work
    work = await outcome(ending, run)
    folded = await run.fold(hooks.after_execute, work, run=run)
    if work.answered:  # what happened, and whether there is an answer at all, is not a plugin's to say
        work = replace(work, text=folded.text)
    await run.emit(events.ExecutionFinished(work))
    return work


async def spoken(plan: Plan, run: TaskRun) -> InnerLoopResult:
    """The inner loop: the model works through tools until it is done."""
    await address(plan, run)
    return await run_inner_loop(run)


async def delegated(plan: Plan, run: TaskRun) -> InnerLoopResult:
    """A worker works in the model's place; it says when it is done."""
    worker = await run.services.components.worker(run.agent.worker, run.root)
    try:
        with confined():
            work = await run.with_deadline(worker.run(plan, run))
    except LimitExceededError as reached:
        return ended_by_limit(reached, "", run)
    except KoiError:
        raise
    except Exception as error:  # a worker is a plugin: what it may raise is not known
        raise PluginError(run.agent.worker, "run", f"{type(error).__name__}: {error}") from error
    if wrong := type_error_of(work, ExecutionResult):
        raise PluginError(run.agent.worker, "run", wrong)
    return InnerLoopResult(sanitize_text(work.text), work.ended, work.limit)


async def address(plan: Plan, run: TaskRun) -> None:
    """Tell the model what to do now."""
    given = await run.collect(hooks.before_execute, plan=plan, run=run)
    own = conversation_end(merged(await admit(given, hooks.before_execute, run, beside=plan.sections)))
    if not run.iterations:
        run.conversation = Conversation(system_blocks(plan))
        run.tools = await tools(run)
        run.offered = offered(run.tools)
        run.tools = (*run.tools, *(tool for tool in run.offered if tool not in run.tools))
        words, fresh = opening(run.task, plan), True
    elif run.astray:
        words, fresh = afresh(run.task, plan, best_of(run.iterations).work), True
    else:
        words, fresh = feedback(plan), False
    run.astray = run.touched = False
    await run.add_message("\n\n".join(filter(None, (words, own))), fresh=fresh)


async def outcome(ending: InnerLoopResult, run: TaskRun) -> ExecutionResult:
    """What the execution left behind, with the files as they are now kept."""
    checkpoint = await run.workspace_state.checkpoint() if run.workspace_state.origin else ""
    diff = await run.workspace_state.changes(checkpoint)
    await run.warn()
    if diff is None and run.touched:
        run.effects.note_unseen()
    work = ExecutionResult(ending.text, ended=ending.why, limit=ending.limit, calls=run.effects.recent)
    if diff is None:
        return work
    return replace(work, diff=diff, files=changed_files(diff), checkpoint=checkpoint)


async def tools(run: TaskRun) -> tuple[Tool, ...]:
    """List what the model may use. Toolboxes list at the same time; of two tools with one name the first is used."""
    toolboxes = await run.services.components.toolboxes(run.root)
    listed = await asyncio.gather(*(asked(name, toolbox, run) for name, toolbox in toolboxes.items()))
    known: dict[str, Tool] = {}
    for name, tools in zip(toolboxes, listed, strict=True):
        for tool in tools:
            if tool.name in known:
                run.services.warn_once(f"{name} brings a second tool named {tool.name!r}; it is left out.")
            known.setdefault(tool.name, tool)
    await run.warn()
    return tuple(tool for tool in known.values() if any(fnmatchcase(tool.name, one) for one in run.agent.tools))


async def asked(name: str, toolbox: ToolProvider, run: TaskRun) -> Sequence[Tool]:
    try:
        with confined():
            offered = await run.with_deadline(toolbox.tools(run))
        if wrong := type_error_of(offered, Sequence[Tool]):
            raise TypeError(wrong)
        return offered
    except Exception as error:  # a toolbox is a plugin: the run goes on with the other tools
        run.services.warn_once(f"The tools of {name} cannot be had: {error}")
        return ()
