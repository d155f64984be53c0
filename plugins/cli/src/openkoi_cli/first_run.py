"""The first run of all: who we are, and the choice of a model where none is known. Knows one command by name."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Record, events

from .async_command import run_async_command
from .errors import say
from .invocation import Invocation
from .person import somebody_there

if TYPE_CHECKING:
    from .renderers import Renderer

BANNER = "  openkoi v{}"
INIT = "init"


def greeting(renderer: "Renderer") -> Callable[[Record], None]:
    """A listener that says who we are above what was found."""

    banner = BANNER.format(renderer.invocation.launcher.version)

    def greet(record: Record) -> None:
        if isinstance(record.event, events.TaskStarted) and record.event.first:
            renderer.live.line(banner)

    return greet


def prepared(invocation: Invocation) -> bool:
    """Let the user choose a model where none is configured or found; tell whether one was chosen."""
    koi = invocation.koi
    if koi is None or not somebody_there():
        return False
    if not any(entry.name == INIT for entry in koi.plugins("commands")):
        return False
    fresh = invocation.open()
    for warning in koi.warnings():
        if warning not in fresh.warnings():
            say(f"  ! {invocation.redact(warning)}")
    say(f"\n{BANNER.format(invocation.launcher.version)}\n")
    command = invocation.load("commands", INIT)
    assert isinstance(command, click.Command)
    chosen = command.invoke(click.Context(command, info_name=INIT, obj=fresh))
    if inspect.iscoroutine(chosen):
        run_async_command(invocation, chosen)
    return True
