"""Handle a command line without arguments: run piped input as the task, or else show three examples."""

from typing import TYPE_CHECKING

import click

from .run_task import read_piped

if TYPE_CHECKING:
    from .group import OpenKoi

WELCOME = """\
openkoi {version}: run a task, evaluate the result, and retry until it meets your quality bar.

  openkoi "Fix the failing tests"   run a task in this folder
  openkoi demo                      watch it repair a small project; needs no key
  openkoi init                      set up a model

All commands and options: openkoi --help"""


def start_without_words(group: "OpenKoi") -> object:
    """Run what is piped in as a task, or welcome the user."""
    if piped := read_piped():
        return group.main(["--", piped], prog_name="openkoi", standalone_mode=False)
    click.echo(WELCOME.format(version=group.invocation.launcher.version))
    return 0
