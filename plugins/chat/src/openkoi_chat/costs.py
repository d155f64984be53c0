"""Report what the session cost (``/cost``), its most expensive step, and what would be cheaper."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_base.counts import format_count
from openkoi_hookspecs import Price, Record, Usage, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import format_dollars, format_tokens, truncate_line

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

NOTHING = "This session has cost nothing yet."
UNFINISHED = "an incomplete answer"
MUCH_INPUT = 0.6  # if input is more of a step's cost, advise reading less (estimate)


@dataclass(frozen=True, slots=True)
class Step:
    """A model call of a task: what it was for, its model, its tokens and its cost."""

    task: str
    purpose: str
    model: str
    usage: Usage
    usd: float


def list_steps(records: Iterable[Record], lost: Iterable[tuple[str, events.ModelResponseBroken]] = ()) -> list[Step]:
    """Return all model calls in records, each with its purpose, and those ``lost`` when OpenKoi was killed."""
    tasks: dict[str, str] = {}
    steps: list[Step] = []
    for record in records:
        match record.event:
            case events.TaskStarted(task=task):
                tasks[record.run] = task.text
            case events.ModelResponse(role=role, model=model, usage=usage, usd=usd, response=response):
                calls = [call.tool for call in response.calls]
                purpose = describe_purpose(role, calls)
                steps.append(Step(tasks.get(record.run, ""), purpose, model, usage, usd))
            case events.ModelResponseBroken() as broken:
                steps.append(unfinished_step(tasks.get(record.run, ""), broken))
    return [*steps, *(unfinished_step(tasks.get(run, ""), broken) for run, broken in lost)]


def unfinished_step(task: str, broken: events.ModelResponseBroken) -> Step:
    """Return the step of a call whose answer was incomplete."""
    return Step(task, UNFINISHED, broken.model, broken.usage, broken.usd)


def describe_purpose(role: str, calls: Sequence[str]) -> str:
    """Return the purpose of a call: judging, choosing tools or answering."""
    if role != "executor":
        return {"evaluator": "judging the work", "planner": "planning"}.get(role, f"a call as {role}")
    return f"choosing {', '.join(dict.fromkeys(calls))}" if calls else "answering"


def describe_costs(steps: Sequence[Step], koi: "Koi") -> Iterator[str]:
    """Yield the cost of the session, its most expensive step, and a cheaper way."""
    if not steps:
        yield NOTHING
        return
    total, tokens = sum(one.usd for one in steps), sum(one.usage.total for one in steps)
    count = format_count(len(steps), "model call")
    yield f"This session: {format_dollars(total)}, {format_tokens(tokens)} tokens in {count}"
    dearest = max(steps, key=lambda one: one.usd)
    share = f" ({dearest.usd / total:.0%})" if total else ""
    yield (
        f"Most expensive step: {format_dollars(dearest.usd)}{share}, {dearest.purpose} with {dearest.model}, "
        f'{format_tokens(dearest.usage.total)} tokens, in "{truncate_line(dearest.task, 50)}"'
    )
    yield f"Cheaper: {suggest(dearest, koi)}"


def suggest(step: Step, koi: "Koi") -> str:
    """Return a cheaper way for a step, with its price if it is known."""
    price = koi.price(step.model)
    if price and (found := find_cheaper(step, price, koi)):
        model, usd = found
        role = "evaluator" if step.purpose.startswith("judging") else "executor"
        return f"the same step costs {format_dollars(usd)} with {model}: /model {role} {model}"
    if price and step.usage.input * price.input > MUCH_INPUT * step.usd * 1e6:
        tokens = format_tokens(step.usage.input)
        return f"it read {tokens} tokens that were not cached: use /compact, or /clear for a new topic"
    if step.purpose.startswith("judging"):
        return "/iterate 0 runs a task without judging it"
    return "/budget sets a limit for each task"


def find_cheaper(step: Step, price: Price, koi: "Koi") -> tuple[str, float] | None:
    """Return the cheapest default model of a provider with a key that costs at most half as much, if there is one."""
    own = step.model.partition("/")[0]
    within_reach = (one for one in koi.providers() if one.provider == own or os.environ.get(one.variable))
    names = [f"{one.provider}/{one.model}" for one in within_reach]
    uncached = Usage(input=step.usage.prompt, output=step.usage.output)  # a cache of another model is empty
    known = [(name, other.cost(uncached)) for name in names if (other := koi.price(name))]
    best = min(known, key=lambda one: one[1], default=None)
    return best if best and best[1] <= price.cost(uncached) / 2 and best[1] > 0 else None
