"""Make the plan: what the model will be told during the whole run. Knows sections; calls no model."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import Plan, Recall, Section, events, moments

from ..category import only_asks
from ..context import merged, recalled
from ..kernel import Kernel


async def make_plan(recall: Recall, run: Kernel) -> Plan:
    """The task itself, with what plugins and memory add to it."""
    if known := run.past.take(events.Planned):
        return known.plan
    given = await run.gather(moments.before_plan, task=run.task, recall=recall, run=run)
    sections = merged([*recalled(recall), *attributed(given)])
    asks = only_asks(run.task.text)
    plan = Plan(sections=sections, judged=run.task.limits.iterations > 0 and not asks)
    plan = await run.fold(moments.after_plan, plan, task=run.task, run=run)
    await run.emit(events.Planned(plan, asks))
    return plan


def attributed(given: Iterable[tuple[str, Sequence[Section]]]) -> list[Section]:
    """Sections that say which plugin brought them."""
    return [replace(section, source=plugin) for plugin, sections in given for section in sections]
