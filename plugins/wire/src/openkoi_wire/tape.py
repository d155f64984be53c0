"""The file of a cassette: a line appended at once, or all lines read. Knows files; knows not what a line means."""

import os
from collections.abc import Iterator
from pathlib import Path

from openkoi_hookspecs import ConfigError, KoiError

APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def begin(file: Path) -> None:
    """Make sure that lines can be appended; a new file is its owner's alone. Raises ConfigError when they cannot."""
    try:
        ordinary(file)
        os.close(os.open(file, APPENDING, 0o600))
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"{file} cannot be recorded to: {why}. Name a file in a folder that exists.") from None


def append(file: Path, line: bytes) -> None:
    """Append a line as a whole; raises a KoiError when there is no room for it."""
    try:
        tape = os.open(file, APPENDING, 0o600)
        try:
            written = os.write(tape, line)
            if written < len(line):
                take_back(tape, written)
                raise OSError("there was room for a part of an exchange only")
        finally:
            os.close(tape)
    except OSError as error:
        why = error.strerror or str(error)
        raise KoiError(f"The recording to {file} cannot go on: {why}. Make room, and record anew.") from None


def take_back(tape: int, written: int) -> None:
    """Take back a part of a line, unless another's stands behind it by now."""
    end = os.lseek(tape, 0, os.SEEK_CUR)
    if os.fstat(tape).st_size == end:
        os.ftruncate(tape, end - written)


def lines(file: Path) -> Iterator[bytes]:
    """Read the lines; raises ConfigError when there is no such file."""
    try:
        ordinary(file)
        with file.open("rb") as tape:
            yield from tape
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"{file} cannot be replayed: {why}. Record it first.") from None


def ordinary(file: Path) -> None:
    """Raise OSError for what is there and is no file: reading from a pipe or a device might never end."""
    if file.is_dir():
        raise IsADirectoryError(None, "it is a folder")
    if file.exists() and not file.is_file():
        raise OSError(None, "it is a pipe or a device, and no file")
