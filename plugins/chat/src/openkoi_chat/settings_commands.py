"""Commands that change the settings for the next tasks."""

from openkoi_hookspecs import KoiError, Limits
from openkoi_runlog.report import format_dollars

from .attachments import Draft
from .chat import ChatProgram
from .model_choices import ROLES, list_choices
from .settings import Mode
from .view import Choice, pick, warn


async def model(chat: ChatProgram, words: str) -> None:
    """Set the model for every role or for one role; without a name, let the user choose from a list."""
    named = words.split() or [*filter(None, [await choose_model(chat)])]
    if not named:
        await show_models(chat)
        return
    role, name = (named[0], named[1]) if len(named) == 2 and named[0] in ROLES else ("model", named[0])
    if len(named) > 2 or (len(named) == 2 and role == "model"):
        chat.view.note(
            f"The roles are {' and '.join(ROLES)}. Type /model executor MODEL for one, or /model MODEL for both."
        )
        return
    before = getattr(chat.settings, role)
    setattr(chat.settings, role, name)
    try:
        await chat.reopen()
        await load_providers(chat)
        await show_models(chat)
    except KoiError as error:
        setattr(chat.settings, role, before)
        await chat.reopen()
        warn(chat.view, str(error))


async def choose_model(chat: ChatProgram) -> str:
    """Let the user choose a model; return its name, or an empty string if none was chosen."""
    chat.front.show_busy("looking for models…")
    try:
        choices = await list_choices(chat.require_koi())
    finally:
        chat.front.show_busy("")
    return await pick(chat.view, "Which model?", choices)


async def load_providers(chat: ChatProgram) -> None:
    """Load the models' providers without calling them, so that a missing one is reported now."""
    koi = chat.require_koi()
    for role in ROLES:
        await koi.load("providers", (await koi.resolve_model(role)).partition("/")[0])


async def show_models(chat: ChatProgram) -> None:
    """Show the model of each role."""
    koi = chat.require_koi()
    models = {role: await koi.resolve_model(role) for role in ROLES}
    chat.model = models["executor"]
    chat.view.note("\n".join(f"  {role}: {model}" for role, model in models.items()))
    chat.show_status()


async def iterate(chat: ChatProgram, words: str) -> None:
    """Show or set the maximum number of iterations."""
    if words and not words.isdigit():
        chat.view.note("/iterate takes a whole number, such as /iterate 3.")
        return
    chat.settings.iterations = int(words) if words else chat.settings.iterations
    count = limits_of(chat).iterations
    chat.view.note(f"Maximum iterations: {count}." if count else "Tasks run once, without evaluation.")


async def quality(chat: ChatProgram, words: str) -> None:
    """Show or set the minimum score to accept."""
    value = read_number(words)
    if words and (value is None or not 0 <= value <= 1):
        chat.view.note("/quality takes a score from 0 to 1, such as /quality 0.9.")
        return
    chat.settings.quality = value if words else chat.settings.quality
    chat.view.note(f"Minimum score to accept: {limits_of(chat).quality_threshold:.2f}.")


async def budget(chat: ChatProgram, words: str) -> None:
    """Show or set the maximum cost of each task."""
    value = read_number(words.lstrip("$"))
    if words and (value is None or value < 0):
        chat.view.note("/budget takes US dollars, such as /budget 0.50.")
        return
    chat.settings.budget = value if words else chat.settings.budget
    chat.view.note(f"Maximum cost per task: {format_dollars(limits_of(chat).usd)}.")


async def plan(chat: ChatProgram, words: str) -> None:
    """Turn planning on and off, or plan one task."""
    chat.set_mode(Mode.PLAN if words or chat.settings.mode is not Mode.PLAN else Mode.EDITS)
    on = chat.settings.mode is Mode.PLAN
    chat.view.note("Plan mode is on: OpenKoi changes nothing. /plan turns it off." if on else "Plan mode is off.")
    if words:
        chat.session.submit(Draft(words))


async def mode(chat: ChatProgram, words: str) -> None:
    """Set what a task may do without asking; without words, let the user choose."""
    choices = [Choice("", one.value, one.value, detail=one.summary) for one in Mode]
    words = words or await pick(chat.view, "Which mode?", choices, selected=[*Mode].index(chat.settings.mode))
    if words and words not in list(Mode):
        chat.view.note(f"Unknown mode {words!r}. Choose from {', '.join(Mode)}: type /mode ask, or press Shift-Tab.")
        return
    if words:
        chat.set_mode(Mode(words))
    chat.view.note(f"Mode: {chat.settings.mode} ({chat.settings.mode.summary}).")


async def permissions(chat: ChatProgram, words: str) -> None:
    """List what the user allowed for this chat or permanently; revoke it."""
    approvals = chat.session.approvals
    if words == "revoke":
        forgotten = approvals.revoke()
        chat.view.note(
            "\n".join(f"Revoked: {one.partition(' (')[0]}" for one in forgotten) or "No permissions to revoke."
        )
        return
    lines = [f"  until this chat ends: {one}" for one in approvals.list()]
    kept = await chat.run_cli("trust")
    chat.view.note("\n".join([*lines, kept.text]))


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
