"""Prepare the standard streams: open missing ones, and reserve stdout for the result."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from typing import TextIO

NOT_WRITTEN = "Cannot write the result to standard output: {}."
STREAMS = (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w"))


def open_missing_streams() -> None:
    """Open missing standard streams on the null device, so that no file gets their descriptors.

    A missing stdout can only be read, so that writing a result fails as it does without the stream.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        if descriptor == 1:
            os.close(descriptor)
            descriptor = os.open(os.devnull, os.O_RDONLY)  # the same one: the lowest that is free
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name, descriptor, mode in STREAMS:
        stream = getattr(sys, name)
        if stream is None or stream.closed:
            unbuffered = os.fdopen(descriptor, f"{mode}b", 0, closefd=False)  # nothing is left to fail at the exit
            setattr(sys, name, TextIOWrapper(unbuffered, write_through=True))


def restore_terminal() -> None:
    """Restore the terminal as standard input after piped input was read."""
    if sys.stdin.isatty() or not sys.stderr.isatty() or os.name != "posix":
        return
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDWR)
        if os.tcgetpgrp(terminal) == os.getpgrp():
            os.dup2(terminal, 0)
            sys.stdin = os.fdopen(0, closefd=False)
        os.close(terminal)


def error_handler() -> str:
    """Return the handler for characters that the streams cannot encode; UTF-8 can encode all."""
    if "utf" in sys.stdout.encoding.lower():
        return "backslashreplace"
    from .lookalikes import register

    handler = register()
    with suppress(AttributeError):  # a replaced stderr may be no stream of Python's
        sys.stderr.reconfigure(errors=handler)  # type: ignore[union-attr]
    return handler


def strip_escapes(text: str, stream: TextIO) -> str:
    """Return a text for a stream: it cannot control a terminal that shows it now or later.

    A terminal gets no invisible characters either; in a file or a pipe they stay.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    from openkoi_terminal import strip_controls, strip_escapes

    return strip_controls(text) if stream.isatty() else strip_escapes(text)


@contextmanager
def reserve_stdout() -> Iterator[TextIO]:
    """Yield the real stdout, and send what plugins and child processes print to stderr.

    Raises KoiError if it cannot be written to, before a result is paid for.
    """
    try:
        sys.stdout.flush()
        os.write(1, b"")
    except OSError as error:
        from openkoi_hookspecs import KoiError

        raise KoiError(NOT_WRITTEN.format(error.strerror)) from error
    real = os.fdopen(os.dup(1), "w", encoding=sys.stdout.encoding, errors=error_handler())
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield real
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os.dup2(real.fileno(), 1)
        with suppress(OSError):
            real.close()
