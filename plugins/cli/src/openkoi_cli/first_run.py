"""Greet the user on the first run (onboarding), and offer the setup if there is no model."""

import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import Record, events

from .async_command import run_async_command
from .errors import print_line, print_warning
from .invocation import Invocation

if TYPE_CHECKING:
    from .renderers import Renderer

BANNER = "  openkoi v{}"
INIT = "init"


def make_greeting(renderer: "Renderer") -> Callable[[Record], None]:
    """Return a listener that prints the banner above the model that was found."""

    banner = BANNER.format(renderer.invocation.launcher.version)

    def greet(record: Record) -> None:
        if isinstance(record.event, events.TaskStarted) and record.event.first:
            renderer.live.print_line(banner)

    return greet


def offer_setup(invocation: Invocation) -> bool:
    """Let the user choose a model if none is configured or found; return whether the setup ran."""
    koi = invocation.koi
    if koi is None or not can_prompt(sys.stderr):
        return False
    if not any(entry.name == INIT for entry in koi.plugins("commands")):
        return False
    fresh = invocation.open()
    for warning in koi.warnings():
        if warning not in fresh.warnings():
            print_warning(warning, invocation)
    print_line(f"\n{BANNER.format(invocation.launcher.version)}\n")
    command = invocation.load("commands", INIT)
    assert isinstance(command, click.Command)
    chosen = command.invoke(click.Context(command, info_name=INIT, obj=fresh))
    if inspect.iscoroutine(chosen):
        run_async_command(invocation, chosen)
    return True
