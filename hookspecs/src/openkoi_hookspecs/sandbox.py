"""Commands for a sandbox, and their results."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, field

from .events_base import Event
from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run in the workspace.

    ``network`` is a request; the sandbox's policy decides. ``hide_env`` names environment variables with secrets that
    the program must not see. ``approved`` are absolute paths that the user lets this task change although other
    programs run their content.
    """

    argv: Sequence[str]
    _: KW_ONLY
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 120.0
    network: bool = False
    hide_env: frozenset[str] = frozenset()
    approved: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended: the first and last 32 KB of both streams, and the ``output_file`` with the whole output.

    ``events`` are those that the sandbox adds to the run's log.
    """

    exit_code: int
    output: str
    _: KW_ONLY
    timed_out: bool = False
    output_file: str = ""
    events: tuple[Event, ...] = ()
