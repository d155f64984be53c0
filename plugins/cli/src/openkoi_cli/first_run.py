"""The first run of all: who we are, and the choice of a model where none is known. Knows one command by name."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from openkoi import __version__
from openkoi_hookspecs import Record, events

from .async_command import run_async_command
from .errors import say
from .invocation import Invocation
from .person import somebody_there

if TYPE_CHECKING:
    from .faces import Face

BANNER = f"  openkoi v{__version__}"
INIT = "init"


def greeting(face: "Face") -> Callable[[Record], None]:
    """A listener that says who we are above what was found."""

    def greet(record: Record) -> None:
        if isinstance(record.event, events.TaskStarted) and record.event.first:
            face.live.line(BANNER)

    return greet


def prepared(invocation: Invocation) -> bool:
    """Let a person choose where no model is configured or found; tell whether one was chosen."""
    koi = invocation.koi
    if koi is None or koi.services.router.found or koi.services.router.configured("executor") or not somebody_there():
        return False
    if not any(entry.name == INIT for entry in koi.plugins("commands")):
        return False
    fresh = invocation.open()
    for warning in koi.services.warnings.texts:
        if warning not in fresh.services.warnings.texts:
            say(f"  ! {invocation.redact(warning)}")
    say(f"\n{BANNER}\n")
    command = invocation.load("commands", INIT)
    assert isinstance(command, click.Command)
    chosen = command.invoke(click.Context(command, info_name=INIT, obj=fresh))
    if inspect.iscoroutine(chosen):
        run_async_command(invocation, chosen)
    return True
