"""Commands about the conversation itself."""

from openkoi_hookspecs import KoiError, Limits, Message, Task
from openkoi_runlog.report import first_line, format_count
from openkoi_terminal import strip_controls

from . import rewind as rewinding
from .chat import SUMMARY_TASK, ChatProgram
from .command_table import COMMANDS
from .keys_help import KEYS
from .menu import Item

ACCESSIBLE_HELP = (
    "Start the chat with `openkoi chat --plain` or ACCESSIBLE=1: one line at a time, nothing is drawn again, no\n"
    "colours, numbered questions, and a line every 30 seconds while a task is under way."
)
SUMMARY = (
    f"{SUMMARY_TASK}, so that the work can go on from the summary alone: the user's requests "
    "and decisions, what was done, the files that matter, what is open. Change nothing and call no tool."
)
SUMMARISED = "Summary of the conversation so far:\n\n{text}"


async def show_help(chat: ChatProgram, words: str) -> None:
    """Show commands and keys."""
    mark = chat.view.style.mark
    width = max(len(f"/{one.name} {one.takes}") for one in COMMANDS)
    lines = [mark("Commands", "bold")]
    lines += [f"  {f'/{one.name} {one.takes}':<{width}}  {one.summary}" for one in COMMANDS]
    added = [f"  {f'/{name}':<{width}}  {summary}" for name, summary in chat.added_commands.items()]
    lines += [mark("From skills and plugins", "bold"), *added] if added else []
    lines += [mark("Keys", "bold"), *(f"  {key:<{width}}  {does}" for key, does in KEYS)]
    chat.view.print("\n".join(lines))


async def clear(chat: ChatProgram, words: str) -> None:
    """Begin a new session."""
    old = chat.session.last_run
    chat.session.start_over()
    chat.save()
    hint = f" /resume {old[:8]} continues the old one." if old else ""
    chat.view.print(f"A new session.{hint}")


async def compact(chat: ChatProgram, words: str) -> None:
    """Replace the conversation by a summary of it."""
    session = chat.session
    if not session.history or session.koi is None:
        chat.view.print("Nothing to compact: this conversation has no message yet.")
        return
    focus = f" Pay most attention to: {words}." if words else ""
    limits = Limits(iterations=0, cycles=1, seconds=120.0)
    chat.view.print("Summarising the conversation…")
    task = Task(f"{SUMMARY}{focus}", channel="chat", history=session.history, limits=limits, judge=False)
    try:
        result = await session.koi.solve(task)
    except KoiError as error:
        chat.view.print(f"  ! {session.koi.redact(str(error))}")
        return
    before = sum(len(str(part)) for message in session.history for part in message.parts)
    session.history = (Message.user(SUMMARISED.format(text=result.text)),)
    after = len(result.text)
    chat.view.print(f"Compacted {format_count(before, 'character')} to {after}.")


async def resume(chat: ChatProgram, words: str) -> None:
    """Resume the last task if it did not end; else continue a session: the one named, or one from a list."""
    if words:
        await chat.continue_session(words)
        return
    if run := chat.unfinished_run():
        chat.session.resume_task(run)
        return
    found = chat.list_sessions()
    if not found:
        chat.view.print("No earlier session in this folder.")
        return
    chosen = await chat.front.pick("Continue which session?", [Item(text, detail, id) for id, text, detail in found])
    if chosen:
        await chat.continue_session(chosen.text)


async def show_history(chat: ChatProgram, words: str) -> None:
    """List the messages of this session, with the task of each."""
    chat.load_exchanges()
    lines = [
        f"  {number:>3}. {first_line(strip_controls(one.text), 90)}  ({one.run[:8]})"
        for number, one in enumerate(chat.session.exchanges, 1)
    ]
    chat.view.print("\n".join(lines) or "No messages yet.")


async def rewind(chat: ChatProgram, words: str) -> None:
    """Rewind to a message that is chosen from a list, or undo the last rewind."""
    if words == "undo":
        await rewinding.undo_rewind(chat.session)
        chat.save()
        return
    chat.load_exchanges()
    if not chat.session.exchanges:
        chat.view.print(rewinding.NOTHING)
        return
    points = list(enumerate(chat.session.exchanges))
    items = [Item("(current)", "stay here", ""), *(Item(one.text, "", str(place)) for place, one in reversed(points))]
    chosen = await chat.front.pick("Rewind to before which message?", items)
    if chosen and chosen.text:
        chat.front.set_input(await rewinding.rewind(chat.session, int(chosen.text)))
        chat.save()


async def copy(chat: ChatProgram, words: str) -> None:
    """Copy a block of an answer as it was written, or the whole last answer."""
    from .clipboard import copy_sequence

    number = words.strip("[]# ")
    text = chat.view.block(int(number)) if number.isdigit() else chat.last_answer() if not number else None
    if not text:
        chat.view.print(f"No block {strip_controls(words)}." if words else "No answer to copy yet.")
        return
    chat.front.send(copy_sequence(text))
    chat.view.print(f"Copied {format_count(len(text), 'character')}.")


async def editor(chat: ChatProgram, words: str) -> None:
    """Write the message in $EDITOR."""
    chat.front.open_editor()


async def plain(chat: ChatProgram, words: str) -> None:
    """Say how the chat is used with a screen reader."""
    chat.view.print(ACCESSIBLE_HELP)


async def quit_chat(chat: ChatProgram, words: str) -> None:
    """Leave the chat."""
    chat.front.quit()
