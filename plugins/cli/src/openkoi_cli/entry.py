"""Where a command line begins and every error ends. Knows exit statuses; knows no command."""

import sys
from collections.abc import Sequence
from io import StringIO

import click

from openkoi_loader.registry import Scan

from .errors import explained, say
from .group import OpenKoi, first_bare
from .invocation import Invocation
from .streams import fill_in_streams

EXIT_INTERRUPTED = 130


def start(found: Scan) -> None:
    """Run the command line over what is installed; end the process with the status that says how it went."""
    fill_in_streams()
    invocation, words = Invocation(found), sys.argv[1:]
    try:
        words = invocation.take(words)
        status = OpenKoi(invocation).main(words, prog_name="openkoi", standalone_mode=False)
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
    sys.exit(status if isinstance(status, int) else 0)


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
