"""The inner loop: a call of the model, the tools it asks for, and round again until it answers without asking.

Task runs, chat and every face use it. Knows conversations and tools; knows no evaluation, plan or file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import (
    Effect,
    Ended,
    LimitReached,
    Message,
    Question,
    Refused,
    Reply,
    Request,
    Role,
    Stop,
    ToolResult,
    events,
)

from .dispatch import YES, Settled, settle
from .footprint import footprint
from .kernel import Kernel
from .standstill import Step

GO_ON = "Your answer was cut off by its length limit. Go on from where it stopped."
CIRCLES = "{count} rounds of tool calls in a row changed no file and brought nothing new."
NUDGES = 2
COMPACTIONS = 2
REASONS = {
    Ended.DONE: "answered",
    Ended.CYCLES: "maxCycles",
    Ended.BUDGET: "budget-exhausted",
    Ended.TIME: "timeout",
    Ended.LOOP: "loop",
    Ended.PERSON: "needs-person",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How the inner loop ended: the model's last words, why, and the limit if one was met."""

    text: str
    why: Ended
    limit: str = ""


async def converse(run: Kernel) -> Ending:
    """Go round until the model answers, or something stops it."""
    ending = await go_round(run)
    await run.emit(events.Terminated(REASONS[ending.why]))
    return ending


async def go_round(run: Kernel) -> Ending:
    text, nudges = "", 0
    for cycle in range(run.task.limits.cycles):
        await run.emit(events.CycleStarted(cycle, run.task.limits.cycles))
        try:
            reply = await heard(run)
        except LimitReached as reached:
            return Ending(text, Ended.TIME if reached.limit == "seconds" else Ended.BUDGET, reached.limit)
        run.heard(reply)
        text = reply.text or text
        if reply.calls:
            nudges = 0
            stop = await after_tools(await settle(reply.calls, run), cycle, run)
        else:
            stop = None if cut_off(reply) and nudges < NUDGES else Ended.DONE
            nudges += 1
            if stop is None:
                await run.say(GO_ON)
        if stop:
            return Ending(text, stop)
    return Ending(text, Ended.CYCLES)


async def heard(run: Kernel) -> Reply:
    """What the model answers; a conversation that has become too long for it is made shorter, twice at most."""
    for _ in range(COMPACTIONS):
        try:
            return await run.chat(request_of(run))
        except Refused as error:
            if not error.overflow or not run.talk.shorten():
                raise
            await run.emit(events.Compressed(), events.Warned(f"{error} The oldest turns are left out now."))
    return await run.chat(request_of(run))


def request_of(run: Kernel) -> Request:
    return Request(tuple(run.talk.messages), system=run.talk.system, tools=run.tools)


def cut_off(reply: Reply) -> bool:
    return reply.done.stop is Stop.LENGTH


async def after_tools(settled: Sequence[Settled], cycle: int, run: Kernel) -> Ended | None:
    """Show the model its results, and tell whether going on makes sense."""
    results: tuple[ToolResult, ...] = tuple(one.result for one in settled)
    run.talk.say(Message(Role.USER, results))
    await run.emit(events.ToolsSettled(cycle))
    run.standstill.note(map(step, settled), changed=changed(settled, run))
    if any(one.waits for one in settled):
        return Ended.PERSON
    return Ended.LOOP if await going_in_circles(run) else None


def step(one: Settled) -> Step:
    tool = one.tool
    reads, polls = (tool.effect is Effect.READS, tool.polls) if tool else (False, False)
    return Step(one.call, one.result, reads=reads, polls=polls)


def changed(settled: Sequence[Settled], run: Kernel) -> bool:
    """Whether the workspace is another after these calls; only looked at when one of them may have changed it."""
    if not any(one.tool and one.tool.effect > Effect.READS for one in settled):
        return False
    before, run.footprint = run.footprint, footprint(run.workspace)
    return before != run.footprint


async def going_in_circles(run: Kernel) -> bool:
    """Whether to stop: a person is warned first, then asked; the last ceiling holds for everybody."""
    state = run.standstill
    if state.stuck:
        await run.emit(
            events.Warned(f"Stopped: {state.detector}, {CIRCLES.format(count=max(state.idle, state.aimless))}")
        )
        return True
    if state.aimless == state.ceilings.warning:
        await run.emit(events.Warned(CIRCLES.format(count=state.aimless)))
    if state.aimless == state.ceilings.critical:
        answer = await run.ask(Question(f"{CIRCLES.format(count=state.aimless)} Go on?", choices=("yes", "no")))
        return answer is not None and answer.strip().lower() not in YES
    return False
