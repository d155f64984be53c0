"""How a command's end is told: exit codes as a shell gives them, and remarks below the output. Pure."""

import sys
from collections.abc import Sequence
from enum import StrEnum

from openkoi_hookspecs import CommandResult

from .launch import is_anywhere

TIMED_OUT = 124
CANNOT_RUN = 126
NOT_FOUND = 127
ESCAPED = "[Some of its processes could not be ended and still run.]"


class Why(StrEnum):
    """Why a command is over."""

    EXITED = "exited"
    TIMED_OUT = "timed out"
    FLOODED = "flooded"
    CROWDED = "crowded"
    CANCELLED = "cancelled"


def unstarted(program: str, error: OSError | ValueError) -> CommandResult:
    """Say why nothing was run, as a shell does."""
    if isinstance(error, FileNotFoundError) or (isinstance(error, PermissionError) and not is_anywhere(program)):
        return CommandResult(NOT_FOUND, f"There is no program {program!r}. Install it, or check its name and PATH.")
    reason = getattr(error, "strerror", None) or str(error)
    return CommandResult(CANNOT_RUN, f"{program!r} cannot be run: {reason}.")


def exit_code(why: Why, status: int | None) -> int:
    """The status as a shell tells it: 128 and the signal; 124 when time was up, whatever it said then."""
    if why is Why.TIMED_OUT:
        return TIMED_OUT
    if status is None or (why in (Why.FLOODED, Why.CROWDED) and status == 0):
        return 128 + 15
    return 128 - status if status < 0 and sys.platform != "win32" else status


def with_notes(text: str, notes: Sequence[str]) -> str:
    """Put remarks on lines of their own below the output."""
    between = "" if not notes or text.endswith("\n") or not text else "\n"
    return text + between + "\n".join(notes)
