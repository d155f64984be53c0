"""Define the tool ``run_command``, which runs a command line by a shell in the sandbox."""

import asyncio
import os
import shutil
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from time import monotonic

from openkoi_base.schema import Parameters
from openkoi_hookspecs import Arguments, Command, CommandResult, Effect, Tool, ToolError, ToolResult

from .binary import is_garbled
from .long_outputs import shorten_output, store_output
from .tool_context import ToolContext
from .truncate import format_size
from .unknown_program import EXIT_NOT_FOUND, describe_missing_program

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
MAX_COMMAND_BYTES = 100_000
STATUS_BYTES = 600


def run_command(desk: ToolContext) -> Tool:
    """Return the tool for one run."""

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        refuse_command(given.text("command"))
        seconds = min(given.number("timeout", desk.settings.command_seconds), desk.settings.max_command_seconds)
        command = Command([*find_shell(), given.text("command")], seconds=float(seconds), network=True)
        began = monotonic()
        done = await desk.run.execute(command)
        first = describe_end(done, monotonic() - began)
        done = await asyncio.to_thread(with_stored_output, desk, done)
        text = [first, *format_output(done, desk.settings.result_bytes - STATUS_BYTES)]
        if done.exit_code == EXIT_NOT_FOUND:
            text.append(
                await asyncio.to_thread(
                    describe_missing_program, given.text("command"), done.output, desk.run.workspace
                )
            )
        failed = done.timed_out or done.exit_code != 0
        return ToolResult("\n".join(filter(None, text)), failed=failed, exit_code=done.exit_code)

    return Tool(
        "run_command",
        DESCRIPTION.format(seconds=desk.settings.command_seconds, longest=desk.settings.max_command_seconds),
        PARAMETERS.to_schema(),
        call,
        effect=Effect.WRITES,
        local=True,
        progress_text="Running {command}",
    )


def refuse_command(command: str) -> None:
    """Raise for a command that no shell can run."""
    if not command.strip():
        raise ToolError("The command is empty. Pass the command line to run.")
    if "\0" in command:
        raise ToolError("The command contains a NUL character. Remove it.")
    if len(command.encode()) > MAX_COMMAND_BYTES:
        raise ToolError(
            f"The command is longer than {format_size(MAX_COMMAND_BYTES)}. "
            "Put it into a file with write_file and run that."
        )


def find_shell() -> list[str]:
    """Return the shell to use: bash, else sh, else the system's equivalent."""
    program = shutil.which("bash") or shutil.which("sh")
    if not program and os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c"]
    return [program or "sh", "-c"]


def describe_end(done: CommandResult, seconds: float) -> str:
    """Describe how a command ended."""
    if done.timed_out:
        return (
            f"Timed out: it was still running after {seconds:.0f} s and was stopped, with every process it started. "
            "Run a smaller part of it, or pass a longer timeout."
        )
    return f"Exit code {done.exit_code}." if done.output.strip() else f"Exit code {done.exit_code}. No output."


def with_stored_output(desk: ToolContext, done: CommandResult) -> CommandResult:
    """Store an output that is too long to show in a file that this run may read."""
    long = len(done.output.encode(errors="replace")) > desk.settings.result_bytes - STATUS_BYTES
    if long and not done.output_file and not is_garbled(done.output):
        done = replace(done, output_file=store_output(done.output, desk.settings.outputs))
    if done.output_file:
        desk.tracker.outputs.add(Path(done.output_file))
    return done


def format_output(done: CommandResult, room: int) -> list[str]:
    """Return what a command wrote, of much both ends and where all of it is."""
    if not done.output.strip():
        return []
    if is_garbled(done.output):
        where = f"It is in {done.output_file}" if done.output_file else "Redirect it to a file to inspect it"
        return [f"[The output is not text and is not shown. {where}.]", *sandbox_notes(done.output)]
    return shorten_output(done.output, done.output_file, room)


def sandbox_notes(text: str) -> list[str]:
    """Return the last lines in brackets, in which a sandbox reports a limit."""
    last = takewhile(lambda line: line.startswith("[") and line.endswith("]"), reversed(text.splitlines()))
    return [*last][::-1]
