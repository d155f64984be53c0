"""Make the plan: what the model will be told during the whole run. Knows sections.

Where a planner is configured, it is asked once for the steps; without one the plan is the task itself. Whether the
words ask a question is looked at only where it matters before the work: it takes 45 ms of CPU (question.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import (
    FinishReason,
    KoiError,
    LimitExceededError,
    Message,
    Plan,
    Policy,
    Recall,
    Request,
    RequestRejectedError,
    Section,
    events,
    hooks,
)
from openkoi_prompt import MEMORY, asks_question, merged, recalled, shown
from openkoi_settings import keys

from ..run import TaskRun
from ..section_limits import admit, within_caps
from .facts import policy_of

LONG = 1_000
PLANNER = """\
Plan this task for somebody else who will do it with tools for files and commands. At most seven steps, one line each:
what to look at, what to change, how to check it. Write no code, and ask nothing."""


async def make_plan(recall: Recall, run: TaskRun) -> Plan:
    """The task itself, with what plugins and memory add to it."""
    if known := run.replay.take(events.PlanReady):
        return known.plan
    given = await run.collect(hooks.before_plan, task=run.task, recall=recall, run=run)
    sections = merged(await admit([(MEMORY, recalled(recall)), *given], hooks.before_plan, run))
    planned = keys.PLANNER in run.services.config
    judged = run.limits.iterations > 0
    asks = (planned or await is_budget_small(Plan(evaluate=judged), run)) and asks_question(run.task.text)
    if planned and not asks:
        sections = (*sections, *await steps(sections, run))
    plan = Plan(sections=sections, evaluate=judged, asks=asks)
    plan = await run.fold(hooks.after_plan, plan, task=run.task, run=run)
    plan = replace(plan, sections=tuple(await within_caps(plan.sections, hooks.after_plan, run)), asks=asks)
    await run.emit(events.PlanReady(plan))
    return plan


async def is_budget_small(plan: Plan, run: TaskRun) -> bool:
    """Whether keeping a judgement back would take a large share, so that a question should be known before it."""
    if policy_of(run.task, plan, run.evaluators) is not Policy.JUDGE:
        return False
    return run.budget.is_small_for(*await run.models.judgement_cost())


async def steps(sections: Iterable[Section], run: TaskRun) -> Sequence[Section]:
    """What the planner says is to be done; one that fails leaves the plan to the executor, and that is said."""
    told = (run.task.text, run.task.context, *map(shown, sections))
    question = Message.user("\n\n".join(filter(None, told)))
    request = Request([question], model="planner", system=(PLANNER,), max_output=LONG)
    try:
        reply = await run.chat(request)
        if reply.done.stop is FinishReason.REFUSED:
            raise RequestRejectedError(f"the planner refused: {reply.text}")
    except LimitExceededError as reached:
        run.note_limit(reached.limit)
        return ()
    except KoiError as error:
        run.services.warn_once(f"Continuing without a plan: {error}")
        return ()
    return (Section("plan", reply.text, source="planner"),) if reply.text.strip() else ()
