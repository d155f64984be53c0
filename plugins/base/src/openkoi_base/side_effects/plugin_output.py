"""Detect the output of a plugin while its code runs."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import IO, Any

MAX_BYTES = 2**20  # of one call's output; more is not passed on
SHOWN_CHARACTERS = 60


class NotedStream:
    """A replacement for standard output that passes everything on, and keeps the beginning."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.noted = ""

    def write(self, text: str) -> Any:
        """Write a text."""
        if len(self.noted) < SHOWN_CHARACTERS and isinstance(text, str):
            self.noted += text[:SHOWN_CHARACTERS]
        return self._stream.write(text) if self._stream else len(text)

    def writelines(self, lines: Any) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class PrintedText:
    """The text printed between its creation and ``finish``."""

    def __init__(self) -> None:
        self.real = sys.stdout
        self.noted: Any = NotedStream(self.real)
        sys.stdout = self.noted

    def finish(self) -> str:
        """Return the beginning of what was printed; leave a stream that the plugin put there for the caller to find."""
        if sys.stdout is self.noted:
            sys.stdout = self.real
        return str(self.noted.noted)


@cache
def output_file() -> IO[bytes]:
    """Return the file that receives the output to descriptor 1, one for all calls."""
    from tempfile import TemporaryFile

    return TemporaryFile()


class DescriptorOutput:
    """The output to descriptor 1 between its creation and ``finish``, including that of child processes."""

    def __init__(self) -> None:
        flush()
        self.file = output_file()
        self.real = os.dup(1)
        os.dup2(self.file.fileno(), 1)

    def finish(self) -> str:
        """Pass the output on to the real descriptor; return its beginning."""
        flush()
        if is_open(1) and os.path.sameopenfile(1, self.file.fileno()):
            os.dup2(self.real, 1)
        os.close(self.real)
        file = self.file.fileno()
        os.lseek(file, 0, os.SEEK_SET)
        written = os.read(file, MAX_BYTES)
        if written:
            os.lseek(file, 0, os.SEEK_SET)
            os.ftruncate(file, 0)
            with suppress(OSError):
                os.write(1, written)
        return written[:SHOWN_CHARACTERS].decode(errors="replace")


def flush() -> None:
    """Flush the streams."""
    streams: list[Any] = [sys.stdout, sys.__stdout__]
    for stream in streams:
        with suppress(Exception):  # a plugin may have closed or replaced it
            stream.flush()


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def quote(text: str, show: Callable[[str], str] = repr) -> str:
    """Return the beginning of a text in quotes."""
    line = text.strip()
    return show(line[:SHOWN_CHARACTERS])
