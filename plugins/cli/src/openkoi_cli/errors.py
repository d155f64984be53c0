"""Report the exception that ended a command, and choose its exit status (exit code)."""

import errno
import os
import sys
from contextlib import suppress

import click

from .invocation import Invocation

GONE = "The current folder was deleted. Change to another folder, and try again."
NOT_ACCESSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EIO)
NOT_WRITTEN = (errno.ENOSPC, errno.EIO, errno.EBADF)


def report_error(error: Exception, invocation: Invocation) -> int:
    """Print an error, with its traceback if verbose; return the exit status.

    Further lines of an error, which may repeat what a plugin or a server wrote, look like no line of ours.
    """
    from openkoi_base.printable import indent_further
    from openkoi_hookspecs import KoiError

    if invocation.verbose:
        import traceback

        print_line(invocation.redact("".join(traceback.format_exception(error)).rstrip()))
    known = invocation.koi or invocation.reader
    for warning in known.warnings() if known else ():
        print_warning(warning, invocation)
    if not invocation.is_reported:
        print_line(f"Error: {indent_further(invocation.redact(describe_error(error)))}")
    if not (invocation.verbose or isinstance(error, KoiError) or describe_environment(error)):
        print_line("Run again with --verbose to see a traceback.")
    return exit_status(error)


def print_line(text: str) -> None:
    """Print a line on stderr, if it is still open; text from a plugin or a server cannot control the terminal."""
    from .streams import strip_escapes

    with suppress(OSError):
        click.echo(strip_escapes(text, sys.stderr), err=True)


def print_warning(warning: str, invocation: Invocation) -> None:
    """Print a warning on stderr; indent its further lines, which a plugin may have written to imitate OpenKoi's."""
    from openkoi_base.printable import indent_further

    print_line(f"  ! {indent_further(invocation.redact(warning))}")


def describe_error(error: BaseException) -> str:
    """Return an error as a message."""
    from openkoi_hookspecs import KoiError

    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, KoiError):
        return str(error)
    return describe_environment(error) or f"internal error: {type(error).__name__}: {error}"


def describe_environment(error: BaseException) -> str:
    """Return what is wrong with a disk, permissions, the current folder or standard output, if that is the cause."""
    if not isinstance(error, OSError):
        return ""
    if error.filename:
        return describe_file(error) if error.errno in NOT_ACCESSED else ""
    if isinstance(error, FileNotFoundError):
        return GONE if is_folder_gone() else ""
    return f"Cannot write to standard output: {error.strerror}." if error.errno in NOT_WRITTEN else ""


def describe_file(error: OSError) -> str:
    """Return the file that cannot be used, the reason, and the fix."""
    from openkoi_base.files.write_errors import describe_write_error

    return f"Cannot access {error.filename}: {describe_write_error(error)}."


def is_folder_gone() -> bool:
    """Return whether the current folder was deleted."""
    try:
        os.getcwd()  # noqa: PTH109 - no pathlib on the start path
    except FileNotFoundError:
        return True
    return False


def exit_status(error: Exception) -> int:
    from openkoi_hookspecs import (
        ConfigError,
        ConsentMissingError,
        FilesChangedError,
        LimitExceededError,
        NoProviderError,
        PluginNotFoundError,
        ProviderUnavailableError,
    )

    statuses = (
        (LimitExceededError, 4),
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
