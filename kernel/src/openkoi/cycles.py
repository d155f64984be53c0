"""The inner loop: a call of the model, the tools it asks for, and round again until it answers without asking.

Task runs, chat and every face use it. Knows conversations and tools; knows no evaluation, plan or file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Ended, LimitReached, Message, Refused, Reply, Request, Role, Stop, ToolResult, events

from .dispatch import Settled, settle
from .kernel import Kernel

GO_ON = "Your answer was cut off by its length limit. Go on from where it stopped."
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
    run.standstill.note([(one.call, one.result) for one in settled], any(one.polls for one in settled))
    if any(one.waits for one in settled):
        return Ended.PERSON
    return Ended.LOOP if run.standstill.stuck else None
