"""Run slash commands: commands that start with a slash."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from openkoi_terminal import strip_controls

from .attachments import Draft
from .chat import ChatProgram
from .command_table import COMMANDS, Command, find_command
from .other_names import HINTS, LISTED, RUNS

Action = Callable[[ChatProgram, str], Awaitable[None]]
MODULES = {
    "talk": "conversation_commands",
    "set": "settings_commands",
    "look": "inspection_commands",
    "request": "request_commands",
}
BUSY = "/{name} cannot run during a task. Press Esc to interrupt the task, or wait until it ends."
UNKNOWN = "Unknown command /{name}.{near} Type /help for the list."


def load_action(command: Command) -> Action:
    """Import what a command does."""
    from importlib import import_module

    module, _, name = command.action.partition(":")
    action: Action = getattr(import_module(f"openkoi_chat.{MODULES[module]}"), name)
    return action


async def run_command(chat: ChatProgram, line: str) -> None:
    """Run a command of the chat, a skill or a plugin, after the commands before it have ended.

    /quit does not wait. A command that waits for the end of a task does not delay others.
    """
    name, _, words = line.removeprefix("/").partition(" ")
    words = words.strip()
    command = find_command(name)
    if command and command.at_once:
        await load_action(command)(chat, words)
        return
    if command and not command.during_task:
        await wait_if_done(chat)
    async with chat.command_lock:
        await (run_now(chat, command, words) if command else run_outside(chat, name, words))


@contextmanager
def hold_messages(chat: ChatProgram) -> Iterator[None]:
    """Hold messages until a command ends that may not run during a task."""
    session = chat.session
    session.is_held = True
    try:
        yield
    finally:
        session.is_held = False
        session.start_next()
        session.show_notes()


async def run_now(chat: ChatProgram, command: Command, words: str) -> None:
    """Run a command of the chat, unless it has to wait for the current task."""
    if chat.session.is_busy and not command.during_task:
        chat.view.note(BUSY.format(name=command.name))
        return
    with nullcontext() if command.during_task else hold_messages(chat):
        await load_action(command)(chat, words)


async def run_outside(chat: ChatProgram, name: str, words: str) -> None:
    """Run a skill, a command of a plugin or one of ``openkoi``; report an unknown name."""
    if not (await run_added(chat, name, words) or await run_other(chat, name)):
        names = [*(one.name for one in COMMANDS), *chat.added.all]
        chat.view.note(UNKNOWN.format(name=strip_controls(name), near=suggest(name, names)))


async def wait_if_done(chat: ChatProgram) -> None:
    """Wait for the end of a task that is shown as done, if plugins and the log still delay it."""
    session = chat.session
    if session.worker and session.handle and session.turn and session.turn.report.completion:
        await asyncio.wait([session.worker])


async def run_added(chat: ChatProgram, name: str, words: str) -> bool:
    """Run a skill or a command of a plugin; return whether there is one of this name."""
    await chat.added.find_skills(chat.require_koi().workspace)
    if name in chat.added.of_plugins:
        done = await chat.run_cli(name, *split_words(words or LISTED.get(name, "")))
        chat.view.note(strip_controls(done.text))
    elif name in chat.added.of_skills:
        chat.session.submit(Draft(f"Use the skill {name}. {words}".strip()))
    return name in chat.added.all


def split_words(words: str) -> Sequence[str]:
    """Return the arguments of a command as a shell takes them; an unpaired quotation mark is an ordinary character."""
    from shlex import split

    try:
        return split(words)
    except ValueError:
        return words.split()


async def run_other(chat: ChatProgram, name: str) -> bool:
    """Run a command of ``openkoi``, or say how to do what a command of another agent does; return whether it is one."""
    if words := RUNS.get(name):
        done = await chat.run_cli(*words)
        chat.view.note(strip_controls(done.text))
    elif hint := HINTS.get(name):
        chat.view.note(hint)
    return name in RUNS or name in HINTS


def suggest(name: str, names: Sequence[str]) -> str:
    """Return a hint about a command with a similar name."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    return f" Did you mean /{near[0]}?" if near else ""
