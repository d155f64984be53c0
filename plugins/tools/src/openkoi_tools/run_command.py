"""The tool ``run_command``: a command line, run by a shell in the sandbox, and how it ended."""

import asyncio
import os
import shutil
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from time import monotonic

from openkoi_hookspecs import Arguments, Command, CommandResult, Effect, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .binary import garbled
from .fit import size
from .outputs import keep, shortened
from .toolkit import Desk
from .unknown_program import NOT_FOUND, missing_program

PARAMETERS = Parameters(
    {
        "command": {"type": "string"},
        "timeout": {"type": "integer", "minimum": 1, "description": "seconds"},
    },
    required=("command",),
)
DESCRIPTION = (
    "Run a shell command in the working directory. Each call is a new shell, so cd does not last: write "
    "'cd web && npm test'. No input; leftover processes are ended. Limit {seconds} s, with timeout up to {longest} s. "
    "Long output is cut in the middle and kept in a file."
)
LONGEST = 100_000
STATUS_ROOM = 600


def run_command(desk: Desk) -> Tool:
    """Make the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        refuse_command(given.text("command"))
        seconds = min(given.number("timeout", desk.settings.command_seconds), desk.settings.longest_seconds)
        command = Command([*shell(), given.text("command")], seconds=float(seconds), network=True)
        began = monotonic()
        done = await desk.run.execute(command)
        first = ending(done, monotonic() - began)
        done = await asyncio.to_thread(addressed, desk, done)
        text = [first, *output(done, desk.settings.result_bytes - STATUS_ROOM)]
        if done.exit_code == NOT_FOUND:
            text.append(
                await asyncio.to_thread(missing_program, given.text("command"), done.output, desk.run.workspace)
            )
        failed = done.timed_out or done.exit_code != 0
        return ToolResult("\n".join(filter(None, text)), failed=failed, exit_code=done.exit_code)

    return Tool(
        "run_command",
        DESCRIPTION.format(seconds=desk.settings.command_seconds, longest=desk.settings.longest_seconds),
        PARAMETERS.schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Running {command}",
    )


def refuse_command(command: str) -> None:
    """Raise for what no shell can be given."""
    if not command.strip():
        raise ToolError("The command is empty. Pass the command line to run.")
    if "\0" in command:
        raise ToolError("The command contains a NUL character. Leave it out.")
    if len(command.encode()) > LONGEST:
        raise ToolError(f"The command is longer than {size(LONGEST)}. Put it into a file with write_file and run that.")


def shell() -> list[str]:
    """Return the shell to use: bash, else sh, else what the system has in their place."""
    program = shutil.which("bash") or shutil.which("sh")
    if not program and os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c"]
    return [program or "sh", "-c"]


def ending(done: CommandResult, seconds: float) -> str:
    """Say how a command ended."""
    if done.timed_out:
        return (
            f"Timed out: it was still running after {seconds:.0f} s and was stopped, with all that it had started. "
            "Run a smaller part of it, or pass a longer timeout."
        )
    return f"Exit code {done.exit_code}." if done.output.strip() else f"Exit code {done.exit_code}. No output."


def addressed(desk: Desk, done: CommandResult) -> CommandResult:
    """See to it that what will not be shown can be read: all of the output is in a file that this run may open."""
    long = len(done.output.encode(errors="replace")) > desk.settings.result_bytes - STATUS_ROOM
    if long and not done.output_file and not garbled(done.output):
        done = replace(done, output_file=keep(done.output, desk.settings.outputs))
    if done.output_file:
        desk.seen.outputs.add(Path(done.output_file))
    return done


def output(done: CommandResult, room: int) -> list[str]:
    """Return what a command wrote; of much the beginning and the end, and where all of it is."""
    if not done.output.strip():
        return []
    if garbled(done.output):
        where = f"It is in {done.output_file}" if done.output_file else "Redirect it to a file to inspect it"
        return [f"[The output is not text and is not shown. {where}.]", *remarks(done.output)]
    return shortened(done.output, done.output_file, room)


def remarks(text: str) -> list[str]:
    """The last lines in brackets, in which a sandbox says which limit was reached."""
    last = takewhile(lambda line: line.startswith("[") and line.endswith("]"), reversed(text.splitlines()))
    return [*last][::-1]
