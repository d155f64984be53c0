"""Plan a task: collect the sections of the prompt, and let a planner split the task into steps if one is set.

A configured planner is asked once for the steps; without one, the plan is the task itself. Whether the
task's words ask a question is checked only if it matters before the work: it takes 45 ms of CPU (question.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_base.decision.facts import policy_of
from openkoi_hookspecs import (
    FinishReason,
    KoiError,
    LimitExceededError,
    Plan,
    Policy,
    Recall,
    RequestRejectedError,
    Section,
    events,
    hooks,
)
from openkoi_prompt import MEMORY_SOURCE, executor_instructions, is_question, merge_sections, recall_sections
from openkoi_prompt.planner import build_planner_request, parse_plan
from openkoi_settings import keys

from ..admit_sections import admit, within_caps
from ..run import TaskRun
from .recall import ask_memory

KERNEL, PLANNER = "openkoi", "planner"


async def make_plan(recall: Recall, run: TaskRun) -> Plan:
    """Return the plan: the instructions, what memory and plugins add, and the planner's steps."""
    if known := run.replay.pop_event(events.PlanReady):
        return known.plan
    sections = await collect_sections(recall, await executor_sections(run), run)
    planned = keys.PLANNER in run.services.config
    judged = run.limits.iterations > 0
    asks = (planned or await is_budget_small(Plan(evaluate=judged), run)) and is_question(run.task.text)
    if planned and not asks:
        sections = (*sections, *await ask_planner(sections, run))
    plan = await fold_after_plan(Plan(sections=sections, evaluate=judged, asks=asks), run)
    await run.emit(events.PlanReady(plan))
    return plan


async def preview_plan(run: TaskRun) -> Plan:
    """Return the part of the plan that needs no model: without the planner's steps."""
    sections = await collect_sections(await ask_memory(run), await executor_sections(run), run)
    return await fold_after_plan(Plan(sections=sections), run)


async def collect_sections(recall: Recall, instructions: Sequence[Section], run: TaskRun) -> tuple[Section, ...]:
    """Return the instructions with what memory and plugins add to them."""
    given = await run.collect(hooks.before_plan, task=run.task, recall=recall, run=run)
    own = [(KERNEL, instructions), (MEMORY_SOURCE, recall_sections(recall))]
    return merge_sections(await admit([*own, *given], hooks.before_plan, run))


async def fold_after_plan(plan: Plan, run: TaskRun) -> Plan:
    """Return the plan after every plugin's changes."""
    asked = await run.fold(hooks.after_plan, plan, task=run.task, run=run)
    return replace(asked, sections=tuple(await within_caps(asked.sections, hooks.after_plan, run)), asks=plan.asks)


async def executor_sections(run: TaskRun) -> Sequence[Section]:
    """Return the executor's instructions for its model; none if a worker does the task, since workers have their own.

    They are recorded with the plan, so that a resumed run sends the same text, also after an upgrade.
    """
    if run.agent.worker:
        return ()
    try:
        executor = await run.executor()
    except KoiError:  # the call of the model reports it
        return (executor_instructions(),)
    return (executor_instructions(executor.name, executor.model.edit),)


async def is_budget_small(plan: Plan, run: TaskRun) -> bool:
    """Return whether an evaluation would take so large a share that a question should be detected first."""
    if policy_of(run.task, plan, run.evaluators) is not Policy.JUDGE:
        return False
    return run.budget.is_small_for(*await run.models.judgement_cost())


async def ask_planner(sections: Iterable[Section], run: TaskRun) -> Sequence[Section]:
    """Ask the planner for the steps; if it fails, warn and leave the plan to the executor."""
    try:
        reply = await run.chat(build_planner_request(run.task, sections, PLANNER))
        if reply.done.stop is FinishReason.REFUSED:
            raise RequestRejectedError(f"the planner refused: {reply.text}")
    except LimitExceededError as reached:
        run.note_limit(reached.limit)
        return ()
    except KoiError as error:
        run.services.warn_once(f"Continuing without a plan: {error}")
        return ()
    return parse_plan(reply, PLANNER)
