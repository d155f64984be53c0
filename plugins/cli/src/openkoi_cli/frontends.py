"""Other frontends, each started by a command of its name."""

import os
from typing import TYPE_CHECKING

import click

from .invocation import OWN_NAME, Invocation
from .words import first_bare

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

COMPLETING = "_OPENKOI_COMPLETE"
HIDDEN = "The frontend {name!r} cannot be started by `openkoi {name}`, because a command has that name."


class FrontendCommand(click.Command):
    """A frontend as a command: the words behind its name are its own, options too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = args
        return []

    def invoke(self, ctx: click.Context) -> int:
        invocation: Invocation = ctx.obj
        return invocation.launcher.start(str(self.name), ctx.args, config=invocation.config)


def default_frontend(invocation: Invocation) -> str:
    """Return the frontend that an empty line starts; none for the command line. Without others, nothing is read."""
    if not invocation.frontends or COMPLETING in os.environ:
        return ""
    from openkoi_settings import keys

    name = invocation.open().setting(keys.USE_FRONTEND.name, str, OWN_NAME)
    invocation.koi = None
    return "" if name == OWN_NAME else name


def refuse_options_before(args: "Sequence[str]", frontends: "Collection[str]") -> None:
    """Raise UsageError where options stand before a frontend: they are its own, and stand behind its name."""
    place = first_bare(args)
    if place and args[place] in frontends:
        name = args[place]
        raise click.UsageError(f"Write the options of {name} behind its name: openkoi {name} {' '.join(args[:place])}")


def hidden_frontends(invocation: Invocation, started: "Collection[str]") -> "Iterator[str]":
    """Say which frontends no command starts."""
    return (HIDDEN.format(name=name) for name in invocation.frontends if name not in started)
