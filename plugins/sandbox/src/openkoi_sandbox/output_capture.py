"""Keep what a command prints: its beginning and end in memory, the whole of it in a file once there is too much.

Once there is a file, nothing that is kept has a secret in it: both ends begin or stop anywhere, also within one.
"""

import os
import secrets
import time
from codecs import getincrementaldecoder
from pathlib import Path
from typing import BinaryIO

from openkoi_redact import Redactor, StreamRedactor

END = 32 * 1024


class Capture:
    """Takes output in pieces. Memory stays the same however much there is, and what goes to the file is masked."""

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
    def full(self) -> bool:
        """Whether there is more than will be kept."""
        return self.size > self.most

    def add(self, piece: bytes) -> None:
        """Take the next piece; what is too much is counted and let go."""
        room = max(0, self.most - self.size)
        self.size += len(piece)
        piece = piece[:room]
        if not self.spilled and self.size > 2 * END:
            piece, self.head = self.head + piece, b""
            self.spill()
        if self.spilled:
            self.keep(self.masked.add(piece.decode("latin-1")))
        else:
            self.head += piece

    def keep(self, text: str) -> None:
        """Keep what is masked: all of it in the file, its beginning and end in memory."""
        piece = text.encode("latin-1")
        self.kept += len(piece)
        self.save(piece)
        missing = END - len(self.head)
        self.head += piece[:missing]
        self.tail = (self.tail + piece[missing:])[-END:] if missing > 0 else (self.tail + piece)[-END:]

    def spill(self) -> None:
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

    def save(self, piece: bytes) -> None:
        """Write to the file, if there is one; a full disk stops the keeping, not the command."""
        if self.file is None:
            return
        try:
            self.file.write(piece)
        except OSError as error:
            self.trouble = str(error)
            self.release()

    def close(self) -> None:
        """Keep the rest, and let go of the file."""
        if self.spilled:
            self.keep(self.masked.finish())
        self.release()

    def release(self) -> None:
        """Close the file, if there is one."""
        if self.file is not None:
            self.file.close()
            self.file = None

    @property
    def whole(self) -> str:
        """Where all of it is kept, when it is not in ``text``."""
        return "" if self.trouble else self.path

    @property
    def text(self) -> str:
        """The beginning and the end, and what is left out between them."""
        omitted = self.kept - len(self.head) - len(self.tail)
        if omitted <= 0:
            return (self.head + self.tail).decode("utf-8", "replace")
        where = f"the whole is in {self.whole}" if self.whole else f"the whole could not be kept: {self.trouble}"
        return f"{start(self.head)}\n[... {omitted:,} bytes left out; {where} ...]\n{end(self.tail)}"


def start(data: bytes) -> str:
    """Decode a beginning; a letter that is cut at its end is left out."""
    return getincrementaldecoder("utf-8")("replace").decode(data)


def end(data: bytes) -> str:
    """Decode an end; a letter that is cut at its beginning is left out."""
    first = next((n for n in range(min(4, len(data))) if not 0x80 <= data[n] < 0xC0), 0)
    return data[first:].decode("utf-8", "replace")
