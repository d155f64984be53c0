"""Capture a command's output: beginning and end in memory, and everything in a file if it is too long.

Once there is a file, nothing captured contains a secret: both ends begin or stop anywhere, also within one.
"""

import os
import secrets
import time
from codecs import getincrementaldecoder
from pathlib import Path
from typing import BinaryIO

from openkoi_base.redact import Redactor, StreamRedactor

MAX_END_BYTES = 32 * 1024


class OutputCapture:
    """Capture output in chunks. Memory use is constant, and what goes to the file is redacted."""

    def __init__(self, folder: Path, most: int, redact: Redactor) -> None:
        self.folder = folder
        self.most = most
        self.masked = StreamRedactor(redact)
        self.size = 0
        self.kept = 0
        self.head = b""
        self.tail = b""
        self.path = ""
        self.trouble = ""
        self.spilled = False
        self.file: BinaryIO | None = None

    @property
    def is_full(self) -> bool:
        """Whether the output exceeds the limit."""
        return self.size > self.most

    def add(self, piece: bytes) -> None:
        """Add the next chunk; count and drop bytes beyond the limit."""
        room = max(0, self.most - self.size)
        self.size += len(piece)
        piece = piece[:room]
        if not self.spilled and self.size > 2 * MAX_END_BYTES:
            piece, self.head = self.head + piece, b""
            self.open_file()
        if self.spilled:
            self.add_redacted(self.masked.add(piece.decode("latin-1")))
        else:
            self.head += piece

    def add_redacted(self, text: str) -> None:
        """Add redacted output: all of it to the file, its beginning and end to memory."""
        piece = text.encode("latin-1")
        self.kept += len(piece)
        self.write_file(piece)
        missing = MAX_END_BYTES - len(self.head)
        self.head += piece[:missing]
        self.tail = (
            (self.tail + piece[missing:])[-MAX_END_BYTES:] if missing > 0 else (self.tail + piece)[-MAX_END_BYTES:]
        )

    def open_file(self) -> None:
        """Begin the file."""
        self.spilled = True
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}.txt"
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            self.trouble = str(error)
            return
        self.path, self.file = str(path), os.fdopen(handle, "wb", buffering=0)

    def write_file(self, piece: bytes) -> None:
        """Write to the file, if there is one; a full disk stops the capture, not the command."""
        if self.file is None:
            return
        try:
            self.file.write(piece)
        except OSError as error:
            self.trouble = str(error)
            self.close_file()

    def close(self) -> None:
        """Write the rest, and close the file."""
        if self.spilled:
            self.add_redacted(self.masked.finish())
        self.close_file()

    def close_file(self) -> None:
        """Close the file, if there is one."""
        if self.file is not None:
            self.file.close()
            self.file = None

    @property
    def output_file(self) -> str:
        """Path of the full output, when it is not in ``text``."""
        return "" if self.trouble else self.path

    @property
    def text(self) -> str:
        """Beginning and end, and a note about what is omitted between them."""
        omitted = self.kept - len(self.head) - len(self.tail)
        if omitted <= 0:
            return (self.head + self.tail).decode("utf-8", "replace")
        where = (
            f"full output in {self.output_file}"
            if self.output_file
            else f"the full output could not be saved: {self.trouble}"
        )
        return f"{decode_start(self.head)}\n[... {omitted:,} bytes omitted; {where} ...]\n{decode_end(self.tail)}"


def decode_start(data: bytes) -> str:
    """Decode the beginning of the output; drop a character that is cut at its end."""
    return getincrementaldecoder("utf-8")("replace").decode(data)


def decode_end(data: bytes) -> str:
    """Decode the end of the output; drop a character that is cut at its beginning."""
    first = next((n for n in range(min(4, len(data))) if not 0x80 <= data[n] < 0xC0), 0)
    return data[first:].decode("utf-8", "replace")
