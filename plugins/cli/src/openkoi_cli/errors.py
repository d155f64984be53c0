"""Errors as a person reads them, and the status that each ends with. Knows words; knows no command."""

from contextlib import suppress

import click

from .invocation import Invocation


def explained(error: Exception, invocation: Invocation) -> int:
    """Say an error in a sentence, and where it happened to those who want to know."""
    from openkoi_hookspecs import KoiError

    if invocation.verbose:
        import traceback

        say(invocation.redact("".join(traceback.format_exception(error)).rstrip()))
    for warning in invocation.koi.warnings() if invocation.koi else ():
        say(f"  ! {invocation.redact(warning)}")
    if not invocation.said:
        say(f"Error: {invocation.redact(sentence(error))}")
    if not invocation.verbose and not isinstance(error, KoiError):
        say("Run it again with --verbose to see where.")
    return status_of(error)


def say(text: str) -> None:
    """A line for the person, if somebody is there still to read it."""
    with suppress(OSError):
        click.echo(text, err=True)


def sentence(error: BaseException) -> str:
    """What ended it, in words."""
    from openkoi_hookspecs import KoiError

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, KoiError):
        return str(error)
    return f"something broke inside OpenKoi: {type(error).__name__}: {error}"


def status_of(error: Exception) -> int:
    from openkoi_hookspecs import (
        ConfigError,
        ConsentMissingError,
        FilesChangedError,
        NoProviderError,
        PluginNotFoundError,
        ProviderUnavailableError,
    )

    statuses = (
        (ConsentMissingError, 8),
        (NoProviderError, 9),
        (ProviderUnavailableError, 75),
        (ConfigError, 2),
        (PluginNotFoundError, 2),
        (FilesChangedError, 2),
    )
    for kind, status in statuses:
        if isinstance(error, kind):
            return status
    return 1
