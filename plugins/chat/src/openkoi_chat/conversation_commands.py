"""Commands about the conversation itself."""

from dataclasses import replace

from openkoi_base.counts import format_count
from openkoi_hookspecs import KoiError, Limits, Message, Task
from openkoi_runlog.report import first_line
from openkoi_terminal import strip_controls

from . import rewind as rewinding
from .chat import ChatProgram
from .command_table import COMMANDS
from .continued_chat import continue_session
from .session_names import name_session
from .tables import format_pairs
from .view import Choice, pick, warn

SUMMARY = (
    "Summarise this conversation for yourself, so that the work can continue from the summary alone: the user's "
    "requests and decisions, what was done, the files that matter, what is open. Change nothing and call no tool."
)
SUMMARISED = "Summary of the conversation so far:\n\n{text}"


async def show_help(chat: ChatProgram, words: str) -> None:
    """Show commands and keys."""
    await chat.added.find_skills(chat.require_koi().workspace)
    own = [(f"/{one.name} {one.takes}".rstrip(), one.description) for one in COMMANDS]
    added = [(f"/{name}", strip_controls(summary)) for name, summary in chat.added.all.items()]
    tables = {"Commands": own, "From skills and plugins": added, "Keys": chat.front.describe_keys()}
    width = max(len(name) for rows in tables.values() for name, _ in rows)
    lines: list[str] = []
    for title, rows in tables.items():
        lines += (
            [chat.view.style.mark(title, "bold"), *format_pairs(rows, chat.view.columns, left=width)] if rows else []
        )
    chat.view.print("\n".join(lines))


async def clear(chat: ChatProgram, words: str) -> None:
    """Start a new session."""
    old = chat.session.last_run
    chat.session.start_over()
    chat.save()
    hint = f" /resume {old[:8]} continues the old session." if old else ""
    chat.view.note(f"Started a new session.{hint}")


async def compact(chat: ChatProgram, words: str) -> None:
    """Replace the conversation with a summary of it."""
    session = chat.session
    if not session.history or session.koi is None:
        chat.view.note("Nothing to compact: this conversation has no message yet.")
        return
    focus = f" Pay most attention to: {words}." if words else ""
    limits = Limits(iterations=0, cycles=1, seconds=120.0)
    chat.view.note("Summarising the conversation…")
    part = Task(f"{SUMMARY}{focus}", channel="chat", session=session.session, parent=session.last_run)
    task = replace(part, history=session.history, limits=limits, judge=False)
    try:
        result = await session.koi.solve(task)
        before = sum(len(str(part)) for message in session.history for part in message.parts)
        session.history = (Message.user(SUMMARISED.format(text=result.text)),)
        chat.view.note(f"Compacted {format_count(before, 'character')} to {len(result.text)}.")
    except KoiError as error:
        warn(chat.view, session.koi.redact(str(error)))


async def resume(chat: ChatProgram, words: str) -> None:
    """Resume the last task if it did not end; else continue a session, by name or from a list."""
    if words:
        await continue_session(chat, words)
        return
    if run := chat.unfinished_run():
        chat.session.resume_task(run)
        return
    found = chat.list_sessions(chat.require_koi().workspace)
    if not found:
        chat.view.note("No earlier session in this folder.")
        return
    choices = [Choice("", text, id, detail=detail) for id, text, detail in found]
    if chosen := await pick(chat.view, "Continue which session?", choices):
        await continue_session(chat, chosen)


async def show_history(chat: ChatProgram, words: str) -> None:
    """List the messages of this session, each with its task."""
    rewinding.load_exchanges(chat.session)
    lines = [
        f"  {number:>3}. {first_line(strip_controls(one.text), 90)}  ({one.run[:8]})"
        for number, one in enumerate(chat.session.exchanges, 1)
    ]
    chat.view.note("\n".join(lines) or "No messages yet.")


async def rewind(chat: ChatProgram, words: str) -> None:
    """Rewind to a message chosen from a list, or undo the last rewind."""
    if words == "undo":
        await rewinding.undo_rewind(chat.session)
        chat.save()
        return
    rewinding.load_exchanges(chat.session)
    if not chat.session.exchanges:
        chat.view.note(rewinding.NOTHING)
        return
    points = [Choice("", one.text, str(place)) for place, one in enumerate(chat.session.exchanges)]
    choices = [Choice("", "(current)", "", detail="stay here"), *reversed(points)]
    if place := await pick(chat.view, "Rewind to before which message?", choices):
        chat.front.set_input(await rewinding.rewind(chat.session, int(place)))
        chat.save()


async def fork(chat: ChatProgram, words: str) -> None:
    """Continue in a new session, which starts with this conversation."""
    old = chat.session.last_run
    if not old:
        chat.view.note("Nothing to fork: this conversation has no message yet.")
        return
    chat.session.fork()
    chat.save()
    chat.view.note(f"Started a new session with this conversation. /resume {old[:8]} continues the old session.")


async def rename(chat: ChatProgram, words: str) -> None:
    """Name the session."""
    if not words:
        chat.view.note("/rename takes a name, such as /rename new prices.")
        return
    name_session(chat.names_file, chat.session.session, words)
    chat.view.note(f"This session is now called {strip_controls(words)}; /resume lists it under this name.")


async def background(chat: ChatProgram, words: str) -> None:
    """List the tasks in the background, or stop one."""
    tasks, (verb, _, number) = chat.session.background, words.partition(" ")
    if verb == "stop" and number.isdigit() and (text := tasks.stop(int(number))):
        chat.view.note(f"Stopping: {strip_controls(text)}")
    elif words:
        chat.view.note("/background stop takes the number of a task that /background lists.")
    else:
        chat.view.note(
            "\n".join(tasks.list()) or "No task is running in the background. Ctrl-B moves the current task there."
        )


async def raw(chat: ChatProgram, words: str) -> None:
    """Show answers as the model wrote them, for copying, or formatted again."""
    chat.view.shows_source = not chat.view.shows_source
    on = chat.view.shows_source
    chat.view.note("Answers are shown unformatted. /raw formats them again." if on else "Answers are formatted.")


async def copy(chat: ChatProgram, words: str) -> None:
    """Copy a block of an answer as it was written, or the whole last answer."""
    from .clipboard import copy_sequence

    number = words.strip("[]# ")
    text = chat.view.block(int(number)) if number.isdigit() else chat.last_answer() if not number else None
    if not text:
        missing = f"There is no block {strip_controls(words)}. /copy N takes the number in brackets after a block."
        chat.view.note(missing if words else "No answer to copy yet.")
        return
    chat.front.send(copy_sequence(text))
    chat.view.note(f"Copied {format_count(len(text), 'character')}.")


async def editor(chat: ChatProgram, words: str) -> None:
    """Write the message in $EDITOR."""
    chat.front.open_editor()


async def plain(chat: ChatProgram, words: str) -> None:
    """Continue in line mode: no drawing, no colours, numbered questions."""
    chat.save()
    chat.front.switch_to_plain()


async def quit_chat(chat: ChatProgram, words: str) -> None:
    """Leave the chat."""
    chat.front.quit()
