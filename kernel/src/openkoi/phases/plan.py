"""Make the plan: what the model will be told during the whole run. Knows sections.

Where a planner is configured, it is asked once for the steps; without one the plan is the task itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import (
    KoiError,
    LimitReached,
    Message,
    Plan,
    Recall,
    Refused,
    Request,
    Section,
    Stop,
    events,
    moments,
)
from openkoi_prompt import MEMORY, asks_question, merged, recalled, shown

from ..kernel import Kernel
from ..section_limits import admit, within_caps

LONG = 1_000
PLANNER = """\
Plan this task for somebody else who will do it with tools for files and commands. At most seven steps, one line each:
what to look at, what to change, how to check it. Write no code, and ask nothing."""


async def make_plan(recall: Recall, run: Kernel) -> Plan:
    """The task itself, with what plugins and memory add to it."""
    if known := run.past.take(events.Planned):
        return known.plan
    given = await run.gather(moments.before_plan, task=run.task, recall=recall, run=run)
    sections = merged(await admit([(MEMORY, recalled(recall)), *given], moments.before_plan, run))
    asks = asks_question(run.task.text)
    if not asks and "models.planner" in run.house.config.settings:
        sections = (*sections, *await steps(sections, run))
    plan = Plan(sections=sections, judged=run.task.limits.iterations > 0, asks=asks)
    plan = await run.fold(moments.after_plan, plan, task=run.task, run=run)
    plan = replace(plan, sections=tuple(await within_caps(plan.sections, moments.after_plan, run)), asks=asks)
    await run.emit(events.Planned(plan))
    return plan


async def steps(sections: Iterable[Section], run: Kernel) -> Sequence[Section]:
    """What the planner says is to be done; one that fails leaves the plan to the executor, and that is said."""
    told = (run.task.text, run.task.context, *map(shown, sections))
    question = Message.user("\n\n".join(filter(None, told)))
    request = Request([question], model="planner", system=(PLANNER,), max_output=LONG)
    try:
        reply = await run.chat(request)
        if reply.done.stop is Stop.REFUSED:
            raise Refused(f"the planner refused: {reply.text}")
    except LimitReached as reached:
        run.note_limit(reached.limit)
        return ()
    except KoiError as error:
        run.house.warn_once(f"Continuing without a plan: {error}")
        return ()
    return (Section("plan", reply.text, source="planner"),) if reply.text.strip() else ()
