"""Commands that set what the next tasks are done with."""

from openkoi_hookspecs import Agent, KoiError, Limits
from openkoi_runlog.report import format_dollars
from openkoi_terminal import strip_controls

from .attachments import Draft
from .chat import ChatProgram

ROLES = ("executor", "evaluator")
READERS = ("read_*", "list_*", "search*", "find_*", "read_history", "load_skill*")
PLANNER = Agent(
    name="plan",
    instructions="Plan only: read what you need, then say step by step what you would change and why. Change nothing.",
    tools=READERS,
)


async def model(chat: ChatProgram, words: str) -> None:
    """Show the models, or set one for every role or for one role."""
    named = words.split()
    if not named:
        await show_models(chat)
        return
    role, name = (named[0], named[1]) if len(named) == 2 and named[0] in ROLES else ("model", named[0])
    if len(named) > 2 or (len(named) == 2 and role == "model"):
        chat.view.print(f"Roles are {' and '.join(ROLES)}: /model executor MODEL, or /model MODEL for both.")
        return
    before = getattr(chat.settings, role)
    setattr(chat.settings, role, name)
    try:
        await chat.reopen()
        await show_models(chat)
    except KoiError as error:
        setattr(chat.settings, role, before)
        await chat.reopen()
        chat.view.print(f"  ! {strip_controls(str(error))}")


async def show_models(chat: ChatProgram) -> None:
    """Show the model of each role."""
    koi = chat.require_koi()
    chat.view.print("\n".join([f"  {role}: {await koi.resolve_model(role)}" for role in ROLES]))
    chat.front.show_status(await koi.resolve_model("executor"))


async def iterate(chat: ChatProgram, words: str) -> None:
    """Show or set the maximum number of iterations."""
    if words and not words.isdigit():
        chat.view.print("/iterate takes a whole number, such as /iterate 3.")
        return
    chat.settings.iterations = int(words) if words else chat.settings.iterations
    count = limits_of(chat).iterations
    chat.view.print(f"At most {count} iterations." if count else "Tasks run once, without evaluation.")


async def quality(chat: ChatProgram, words: str) -> None:
    """Show or set the minimum score to accept."""
    value = read_number(words)
    if words and (value is None or not 0 <= value <= 1):
        chat.view.print("/quality takes a score from 0 to 1, such as /quality 0.9.")
        return
    chat.settings.quality = value if words else chat.settings.quality
    chat.view.print(f"Minimum score to accept: {limits_of(chat).quality_threshold:.2f}.")


async def budget(chat: ChatProgram, words: str) -> None:
    """Show or set the maximum cost of each task."""
    value = read_number(words.lstrip("$"))
    if words and (value is None or value < 0):
        chat.view.print("/budget takes US dollars, such as /budget 0.50.")
        return
    chat.settings.budget = value if words else chat.settings.budget
    chat.view.print(f"Maximum cost per task: {format_dollars(limits_of(chat).usd)}.")


async def plan(chat: ChatProgram, words: str) -> None:
    """Turn planning on and off, or plan one task."""
    chat.settings.agent = PLANNER if words or chat.settings.agent is None else None
    on = chat.settings.agent is not None
    chat.view.print("Planning: nothing is changed. /plan turns it off." if on else "Planning is off.")
    if words:
        chat.session.submit(Draft(words))


async def permissions(chat: ChatProgram, words: str) -> None:
    """List what the user allowed for this chat and for good; revoke it."""
    approvals = chat.session.approvals
    if words == "revoke":
        forgotten = approvals.revoke()
        chat.view.print("\n".join(f"Revoked: {one.partition(' (')[0]}" for one in forgotten) or "Nothing was allowed.")
        return
    lines = [f"  until this chat ends: {one}" for one in approvals.list()]
    kept = await chat.run_cli("trust")
    chat.view.print("\n".join([*lines, kept.text]))


def limits_of(chat: ChatProgram) -> Limits:
    """Return the limits of the next task."""
    configured = chat.require_koi().limits
    return chat.settings.limits(configured) or configured


def read_number(words: str) -> float | None:
    """Return a number; None for anything else."""
    try:
        return float(words)
    except ValueError:
        return None
