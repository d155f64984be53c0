"""Ask the user once about everything that a project or package supplies; any change asks again."""

import asyncio
from collections.abc import Collection, Sequence
from hashlib import sha256
from pathlib import Path

from openkoi_base.files.diffs import format_names
from openkoi_base.skillfile.approvals import Approvals
from openkoi_hookspecs import NO, YES, YES_OR_NO, Question, Run, is_yes
from openkoi_hookspecs.events import QuestionAsked, WarningIssued

from .supplies import Supply, distinguish_titles, find_supplies, save_answers, undecided_supplies

MAX_NAMES = 5  # in one warning
MAX_SHOWN = 20  # files in one question; more do not fit a screen
OPENING = "These files contain instructions for the model:"
NOT_APPROVED = "{} is not approved, so it is not used as instructions. Run `openkoi skill trust` to decide."


async def ask_approval(
    data: Path, run: Run, *, seconds: float, rules: Sequence[str] = (), skills: Collection[Path] | None = None
) -> bool:
    """Ask the user about new or changed files; without an answer they stay unused, with a warning.

    Asks once in a session, whether or not it was answered. ``skills`` are the folders that are not approved, if that
    is known. Returns whether something was allowed.
    """
    approved = Approvals(run.koi)
    found = await asyncio.to_thread(find_supplies, data, run.workspace, rules, skills)
    waiting = undecided_supplies(found, approved)
    if not waiting or has_asked(run):
        return False
    question = make_question(waiting)
    try:
        async with asyncio.timeout(seconds):
            answer = await run.ask(question)
    except TimeoutError:
        answer = None
    if answer is None:
        await run.emit(WarningIssued(NOT_APPROVED.format(format_names(distinguish_titles(waiting), MAX_NAMES))))
        return False
    save_answers(waiting, approved, YES if is_yes(answer) else NO)
    return is_yes(answer)


def make_question(waiting: Sequence[Supply]) -> Question:
    """Return one question about all files; its digest changes with any of them."""

    lines = [
        f"  {one.title}: {one.place}{''.join(f' ({warning}!)' for warning in one.find_warnings())}"
        for one in waiting[:MAX_SHOWN]
    ]
    more = (
        [f"  and {len(waiting) - MAX_SHOWN} more; run `openkoi skill trust` to list all"]
        if len(waiting) > MAX_SHOWN
        else []
    )
    text = "\n".join([OPENING, *lines, *more, "Do you trust their authors?"])
    seen = "\0".join(f"{one.place}\0{one.digest}" for one in waiting)
    return Question(text, choices=YES_OR_NO, digest=sha256(seen.encode("utf-8", "surrogatepass")).hexdigest())


def has_asked(run: Run) -> bool:
    """Return whether this session has asked already."""
    logged = (one.event for one in run.koi.records(run.task.session))
    return any(isinstance(one, QuestionAsked) and one.text.startswith(OPENING) for one in logged)
