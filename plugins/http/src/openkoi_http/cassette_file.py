"""Append lines to a cassette file, and read them."""

import os
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import ConfigError, KoiError

APPEND_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def create(file: Path) -> None:
    """Create the file, readable only by its owner; raise ConfigError when it cannot be written."""
    try:
        check_regular_file(file)
        os.close(os.open(file, APPEND_FLAGS, 0o600))
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"Cannot record to {file}: {why}. Use a file in an existing folder.") from None


def append(file: Path, line: bytes) -> None:
    """Append a line; raise KoiError when it does not fit."""
    try:
        tape = os.open(file, APPEND_FLAGS, 0o600)
        try:
            written = os.write(tape, line)
            if written < len(line):
                remove_partial_line(tape, written)
                raise OSError("only part of an exchange was written")
        finally:
            os.close(tape)
    except OSError as error:
        why = error.strerror or str(error)
        raise KoiError(f"Cannot continue recording to {file}: {why}. Free disk space and record again.") from None


def remove_partial_line(tape: int, written: int) -> None:
    """Remove a partial line, unless another process has appended to it."""
    end = os.lseek(tape, 0, os.SEEK_CUR)
    if os.fstat(tape).st_size == end:
        os.ftruncate(tape, end - written)


def read_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines; raise ConfigError when the file cannot be read."""
    try:
        check_regular_file(file)
        with file.open("rb") as tape:
            yield from tape
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"Cannot replay {file}: {why}. Use a file that was made with --record.") from None


def check_regular_file(file: Path) -> None:
    """Raise OSError unless it is a regular file: reading a pipe or device might not end."""
    if file.is_dir():
        raise IsADirectoryError(None, "it is a folder")
    if file.exists() and not file.is_file():
        raise OSError(None, "it is a pipe or a device")
