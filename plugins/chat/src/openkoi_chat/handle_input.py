"""Handle the user's input: a command, a shell command, a preference to remember, or a message."""

import asyncio

from openkoi_base.user_preference import make_preference
from openkoi_hookspecs import events
from openkoi_terminal import strip_controls

from .attachments import Draft
from .chat import ChatProgram
from .cli_commands import ProgramOutput, run_program
from .messages import quote
from .slash_commands import run_command

LEARNED = "Remembered for all folders: {text} (/learn shows it, `openkoi learn forget {id}` forgets it)"
SHELL_LIMIT = 20_000
RUNNING = "running · esc to stop"
STOPPED = "stopped by the user"
LEAVE = ("quit", "exit")


def enter(chat: ChatProgram, draft: Draft, *, queue: bool = False) -> None:
    """Take a line; ``queue`` lets a message wait for the end of the current task."""
    text = draft.text.strip()
    sign, rest = text[:1], text[1:].strip()
    if text in LEAVE:
        chat.front.quit()
    elif sign == "/" and rest and not text.startswith("//"):
        if not chat.view.shows_input:
            chat.view.print(quote(text, chat.view.style))
        chat.start(run_command(chat, text))
    elif sign == "!" and rest:
        chat.start(run_shell(chat, rest))
    elif sign == "#" and rest and not text.startswith("##"):
        chat.start(remember(chat, rest))
    elif queue:
        chat.session.enqueue(draft)
    elif text:
        chat.session.submit(draft)
    chat.save()


async def run_shell(chat: ChatProgram, command: str) -> None:
    """Run the user's shell command; the next task sees its output."""
    folder, output = chat.require_koi().workspace, ProgramOutput()
    chat.view.print("\n" + chat.view.style.mark(f"! {strip_controls(command)}", "bold"))
    chat.front.show_busy(RUNNING)
    try:
        done = await run_program(["/bin/sh", "-c", command], folder, columns=chat.view.columns, output=output)
    except asyncio.CancelledError:
        show_output(chat, command, output.text, STOPPED)
        raise
    finally:
        chat.front.show_busy("")
    show_output(chat, command, output.text, f"exit status {done.status}" if done.status else "")


def show_output(chat: ChatProgram, command: str, printed: str, end: str) -> None:
    """Print a shell command's output and how it ended, and keep both for the next task."""
    text = chat.require_koi().redact(strip_controls(printed))
    shown = (text, chat.view.style.mark(f"  {end}", "red") if end else "")
    chat.view.print("\n".join(filter(None, shown)) or "  (no output)")
    chat.session.context.append(f"$ {command}\n{text[-SHELL_LIMIT:]}\n{end}".rstrip())


async def remember(chat: ChatProgram, text: str) -> None:
    """Save a preference of the user for all projects, since it does not come from a task, and show it."""
    learning = make_preference(text, "user")
    await chat.require_koi().emit(events.LearningSaved(learning))
    chat.view.note(LEARNED.format(text=strip_controls(learning.text), id=learning.id))
