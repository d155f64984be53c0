"""Start other frontends by the command of their name."""

import os
from typing import TYPE_CHECKING

import click

from .command_words import find_first_word
from .invocation import OWN_NAME, Invocation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

COMPLETE_VARIABLE = "_OPENKOI_COMPLETE"
HIDDEN = (
    "The frontend {name!r} cannot be started by `openkoi {name}`, because a command has that name. To start it with "
    "`openkoi` alone, set `frontend` under [use] to {name!r}."
)


class FrontendCommand(click.Command):
    """A frontend as a command; all words after its name are its arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = args
        return []

    def invoke(self, ctx: click.Context) -> int:
        invocation: Invocation = ctx.obj
        return invocation.launcher.start(str(self.name), ctx.args, config=invocation.config)


def default_frontend(invocation: Invocation) -> str:
    """Return the frontend to start without arguments; empty if the command line answers itself."""
    if not invocation.frontends or COMPLETE_VARIABLE in os.environ:
        return ""
    name = invocation.open().chosen_name("frontends")
    invocation.koi = None
    return "" if name == OWN_NAME else name


def refuse_options_before(args: "Sequence[str]", frontends: "Collection[str]") -> None:
    """Raise UsageError if options precede a frontend's name."""
    place = find_first_word(args)
    if place and args[place] in frontends:
        name = args[place]
        raise click.UsageError(f"Put options for {name} after its name: openkoi {name} {' '.join(args[:place])}")


def hidden_frontends(invocation: Invocation, started: "Collection[str]") -> "Iterator[str]":
    """Return a warning for each frontend that no command starts."""
    return (HIDDEN.format(name=name) for name in invocation.frontends if name not in started)
