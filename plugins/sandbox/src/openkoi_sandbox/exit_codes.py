"""Describe how a command ended: exit codes as in a shell, and notes below the output."""

import sys
from collections.abc import Sequence
from enum import StrEnum

from openkoi_hookspecs import CommandResult

from .launch import is_on_path

EXIT_TIMED_OUT = 124
EXIT_CANNOT_RUN = 126
EXIT_NOT_FOUND = 127
ESCAPED_NOTE = "[Some processes of the command could not be stopped and are still running.]"


class EndReason(StrEnum):
    """The reasons why a command ended."""

    EXITED = "exited"
    TIMED_OUT = "timed out"
    FLOODED = "flooded"
    CROWDED = "crowded"
    CANCELLED = "cancelled"


def failed_start(program: str, error: OSError | ValueError) -> CommandResult:
    """Return the result of a command that could not be started, as a shell does."""
    if isinstance(error, FileNotFoundError) or (isinstance(error, PermissionError) and not is_on_path(program)):
        return CommandResult(EXIT_NOT_FOUND, f"Program not found: {program!r}. Install it, or check its name and PATH.")
    reason = getattr(error, "strerror", None) or str(error)
    return CommandResult(EXIT_CANNOT_RUN, f"{program!r} cannot be run: {reason}.")


def exit_code(why: EndReason, status: int | None) -> int:
    """Return the exit status of a shell: 128 and the signal; 124 after a timeout, regardless of the command's own."""
    if why is EndReason.TIMED_OUT:
        return EXIT_TIMED_OUT
    if status is None or (why in (EndReason.FLOODED, EndReason.CROWDED) and status == 0):
        return 128 + 15
    return 128 - status if status < 0 and sys.platform != "win32" else status


def append_notes(text: str, notes: Sequence[str]) -> str:
    """Append notes on lines of their own below the output."""
    between = "" if not notes or text.endswith("\n") or not text else "\n"
    return text + between + "\n".join(notes)
