"""Run a command line, and handle every error."""

import os
from collections.abc import Sequence
from io import StringIO

import click

from .command_words import find_first_word
from .errors import print_line, report_error
from .frontends import COMPLETE_VARIABLE, default_frontend
from .group import OpenKoi
from .invocation import Invocation
from .streams import open_missing_streams

EXIT_INTERRUPTED = 130


def run(invocation: Invocation) -> int:
    """Run a command line, and report errors."""
    open_missing_streams()
    group, words = OpenKoi(invocation), invocation.launcher.arguments
    try:
        words = invocation.take(words, group.frontends)
        status = start_command(group, words)
    except click.exceptions.Exit as done:
        status = done.exit_code
    except click.UsageError as error:
        status = show_usage_error(error, words, invocation)
    except click.ClickException as error:
        show_error(error, invocation)
        status = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        status = end_interrupted(invocation)
    except Exception as error:  # the last place to report an error
        status = report_error(error, invocation)
    finally:
        invocation.close()
    return status if isinstance(status, int) else 0


def start_command(group: OpenKoi, words: Sequence[str]) -> object:
    """Run a command; an empty line starts the configured frontend, and ``--`` alone runs what is piped in."""
    invocation = group.invocation
    if not words and (name := default_frontend(invocation)):
        return invocation.launcher.start(name, config=invocation.config)
    if list(words) in ([], ["--"]) and COMPLETE_VARIABLE not in os.environ:
        from .welcome import start_without_words

        return start_without_words(group)
    return group.main(list(words), prog_name="openkoi", standalone_mode=False)


def end_interrupted(invocation: Invocation) -> int:
    """Report an interruption, once; return its exit status."""
    from .interrupts import ignore_interrupts

    ignore_interrupts()
    if not invocation.is_reported:
        print_line("[abort] interrupted")
    return EXIT_INTERRUPTED


def show_error(error: click.ClickException, invocation: Invocation) -> None:
    """Print click's error message without secrets; indent its further lines, so that they cannot imitate OpenKoi's."""
    from openkoi_base.printable import indent_further

    text = StringIO()
    error.show(text)
    usage, mark, message = invocation.redact(text.getvalue().rstrip("\n")).partition("Error: ")
    print_line(f"{usage}{mark}{indent_further(message)}")


def show_usage_error(error: click.UsageError, words: Sequence[str], invocation: Invocation) -> int:
    """Print a usage error, and how to quote a task that starts with a command's name."""
    instead = ""
    if isinstance(error, click.NoSuchOption):
        from .other_programs import INSTEAD

        if instead := INSTEAD.get(error.option_name, ""):
            error = click.NoSuchOption(error.option_name, ctx=error.ctx)  # what is spelled like it does something else
    show_error(error, invocation)
    if instead:
        print_line(instead)
    place = find_first_word(words)
    named = error.ctx.info_name if error.ctx else ""
    if place is not None and words[place] == named:
        print_line(f'To run a task that starts with "{named}", quote it or put -- before it.')
    return error.exit_code
