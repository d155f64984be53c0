"""Where a command line begins and every error ends. Knows exit statuses; knows no command."""

import os
import sys
from collections.abc import Sequence

import click

from .group import COMMANDS, Invocation, OpenKoi, split

EXIT_INTERRUPTED = 130


def start(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with the status that says how it went."""
    invocation, rest = split(sys.argv[1:] if arguments is None else list(arguments))
    try:
        status = OpenKoi(invocation).main(rest, prog_name="openkoi", standalone_mode=False)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.UsageError as error:
        status = usage(error)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("[abort] interrupted", err=True)
        status = EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 0
    except Exception as error:  # the last place where an error can be made readable
        status = explained(error, invocation)
    sys.exit(status if isinstance(status, int) else 0)


def usage(error: click.UsageError) -> int:
    """A wrong word on the line; a task that begins with a command's name is told how to be one."""
    error.show()
    named = error.ctx.info_name if error.ctx else ""
    if named in COMMANDS:
        click.echo(f'To give a task that begins with "{named}", quote it, or write -- before it.', err=True)
    return error.exit_code


def explained(error: Exception, invocation: Invocation) -> int:
    """Say an error in a sentence, and where it happened to those who want to know."""
    from openkoi_hookspecs import KoiError

    if invocation.verbose:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, KoiError):
        click.echo(f"Error: {invocation.redact(str(error))}", err=True)
        return status_of(error)
    text = f"{type(error).__name__}: {error}"
    click.echo(f"Error: something broke inside OpenKoi: {invocation.redact(text)}", err=True)
    if not invocation.verbose:
        click.echo("Run it again with --verbose to see where.", err=True)
    return 1


def status_of(error: Exception) -> int:
    from openkoi_hookspecs import BadSetting, NoProvider, Unavailable, UnknownName

    for kind, status in ((NoProvider, 9), (Unavailable, 75), (BadSetting, 2), (UnknownName, 2)):
        if isinstance(error, kind):
            return status
    return 1
