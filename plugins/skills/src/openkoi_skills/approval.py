"""Ask the user once about everything that a project or package supplies; any change asks again."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Question, Run, is_yes
from openkoi_hookspecs.events import QuestionAsked, WarningIssued
from openkoi_skillfile import NO, YES, Approved

from .supplied import Supply, approve, find_supplies, told_apart, undecided_supplies

SHOWN = 20
OPENING = "These files would tell the model what to do:"
NOBODY = "{} is not approved, so it is not used as instructions. To decide: openkoi skill trust"


async def settle(data: Path, run: Run, *, seconds: float, rules: Sequence[str] = ()) -> None:
    """Have a person decide about what is new or changed. What nobody decides about stays unused, and that is said.

    It is asked once in a session: whoever did not answer is not asked again.
    """
    approved = Approved(run.koi)
    found = await asyncio.to_thread(find_supplies, data, run.workspace, rules)
    waiting = undecided_supplies(found, approved)
    if not waiting or asked_before(run):
        return
    question = question_about(waiting)
    try:
        async with asyncio.timeout(seconds):
            answer = await run.ask(question)
    except TimeoutError:
        answer = None
    if answer is None:
        await run.emit(WarningIssued(NOBODY.format(listing(told_apart(waiting)))))
        return
    approve(waiting, approved, YES if is_yes(answer) else NO)


def question_about(waiting: Sequence[Supply]) -> Question:
    """One question about all of it; its digest is another whenever one of them is."""
    lines = [f"  {one.title}: {one.place}{''.join(f' ({said}!)' for said in one.warnings)}" for one in waiting[:SHOWN]]
    more = [f"  and {len(waiting) - SHOWN} more: openkoi skill trust lists all"] if len(waiting) > SHOWN else []
    text = "\n".join([OPENING, *lines, *more, "Do you trust who wrote them?"])
    seen = "\0".join(f"{one.place}\0{one.digest}" for one in waiting)
    return Question(text, choices=(YES, NO), digest=sha256(seen.encode("utf-8", "surrogatepass")).hexdigest())


def asked_before(run: Run) -> bool:
    """Whether this session has asked, and heard what there is to hear."""
    said = (one.event for one in run.koi.records(run.task.session))
    return any(isinstance(one, QuestionAsked) and one.text.startswith(OPENING) for one in said)


def listing(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
