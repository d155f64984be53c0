"""Run a command line in a shell, and describe how it ended."""

import asyncio
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from time import monotonic

from openkoi_hookspecs import Command, CommandResult, ToolError, ToolResult

from .binary import is_garbled
from .environment import find_shell
from .long_outputs import shorten_output, store_output
from .tool_context import ToolContext
from .truncate import format_size
from .unknown_program import EXIT_NOT_FOUND, describe_missing_program

MAX_COMMAND_BYTES = 100_000
STATUS_BYTES = 600


async def run_in_shell(line: str, seconds: float, context: ToolContext) -> ToolResult:
    """Run a command line and return the result for the model."""
    refuse_command(line)
    began = monotonic()
    done = await context.run.execute(Command([*find_shell(), line], seconds=seconds, network=True))
    first = describe_end(done, monotonic() - began)
    done = await asyncio.to_thread(with_stored_output, context, done)
    text = [first, *format_output(done, context.settings.result_bytes - STATUS_BYTES)]
    if done.exit_code == EXIT_NOT_FOUND:
        text.append(await asyncio.to_thread(describe_missing_program, line, done.output, context.run.workspace))
    failed = done.timed_out or done.exit_code != 0
    return ToolResult("\n".join(filter(None, text)), failed=failed, exit_code=done.exit_code)


def refuse_command(command: str) -> None:
    """Raise ToolError for a command that no shell can run."""
    if not command.strip():
        raise ToolError("The command is empty. Pass the command line to run.")
    if "\0" in command:
        raise ToolError("The command contains a NUL character. Remove it.")
    if len(command.encode()) > MAX_COMMAND_BYTES:
        raise ToolError(
            f"The command is longer than {format_size(MAX_COMMAND_BYTES)}. "
            "Put it into a file with write_file and run that."
        )


def describe_end(done: CommandResult, seconds: float) -> str:
    """Describe how a command ended."""
    if done.timed_out:
        return (
            f"Timed out: it was still running after {seconds:.0f} s and was stopped, with every process it started. "
            "Run a smaller part of it, or pass a longer timeout."
        )
    return f"Exit code {done.exit_code}." if done.output.strip() else f"Exit code {done.exit_code}. No output."


def with_stored_output(context: ToolContext, done: CommandResult) -> CommandResult:
    """Store an output that is too long to show in a file that this run may read."""
    long = len(done.output.encode(errors="replace")) > context.settings.result_bytes - STATUS_BYTES
    if long and not done.output_file and not is_garbled(done.output):
        done = replace(done, output_file=store_output(done.output, context.settings.outputs))
    if done.output_file:
        context.tracker.outputs.add(Path(done.output_file))
    return done


def format_output(done: CommandResult, room: int) -> list[str]:
    """Return a command's output; if it is long, both ends and where the whole output is."""
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
