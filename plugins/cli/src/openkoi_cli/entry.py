"""Where a command line begins and every error ends. Knows exit statuses; knows no command."""

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

import click

from .errors import explained, say
from .frontends import default_frontend
from .group import OpenKoi
from .invocation import Invocation
from .streams import fill_in_streams
from .words import first_bare

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher

EXIT_INTERRUPTED = 130


class CommandLine:
    """The frontend that a terminal, a script and CI use."""

    def run(self, launcher: "Launcher") -> int:
        """Run a command line; return the status that says how it went."""
        return run(Invocation(launcher))


def run(invocation: Invocation) -> int:
    """Run a command line, and explain every error."""
    fill_in_streams()
    group, words = OpenKoi(invocation), invocation.launcher.arguments
    try:
        words = invocation.take(words, group.frontends)
        status = start(group, words)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.UsageError as error:
        status = usage(error, words, invocation)
    except click.ClickException as error:
        show(error, invocation)
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        from .ending import deaf

        deaf()
        if not invocation.said:
            say("[abort] interrupted")
        status = EXIT_INTERRUPTED
    except Exception as error:  # the last place where an error can be made readable
        status = explained(error, invocation)
    finally:
        invocation.close()
    return status if isinstance(status, int) else 0


def start(group: OpenKoi, words: Sequence[str]) -> object:
    """Do what a line says; an empty one starts the frontend that is configured for it."""
    invocation = group.invocation
    if not words and (name := default_frontend(invocation)):
        return invocation.launcher.start(name, config=invocation.config)
    return group.main(list(words), prog_name="openkoi", standalone_mode=False)


def show(error: click.ClickException, invocation: Invocation) -> None:
    """Print an error as click words it, without the secrets in it."""
    text = StringIO()
    error.show(text)
    say(invocation.redact(text.getvalue().rstrip("\n")))


def usage(error: click.UsageError, words: Sequence[str], invocation: Invocation) -> int:
    """A wrong word on the line; a task that begins with a command's name is told how to be one."""
    show(error, invocation)
    place = first_bare(words)
    named = error.ctx.info_name if error.ctx else ""
    if place is not None and words[place] == named:
        say(f'To give a task that begins with "{named}", quote it, or write -- before it.')
    return error.exit_code
