"""The user's earlier messages, for the arrow keys and Ctrl-R. They are kept in a file, without secrets."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

MAX_ENTRIES = 2_000


class MessageHistory:
    """Messages, oldest first; ``place`` is where the arrow keys are, None at the draft."""

    def __init__(self) -> None:
        self.entries: list[str] = []
        self.unwritten: list[str] = []
        self.place: int | None = None
        self.draft = ""
        self.path: Path | None = None
        self.redact: Callable[[str], str] = lambda text: text

    def open(self, path: Path, redact: Callable[[str], str]) -> None:
        """Load the messages of earlier chats; messages of this chat are added to the file."""
        self.redact = redact
        with suppress(OSError):
            lines = filter(None, path.read_text(encoding="utf-8", errors="replace").splitlines())
            self.entries[:0] = [text for line in [*lines][-MAX_ENTRIES:] if (text := read_entry(line))]
        self.path = path
        self.write()

    def add(self, text: str, full: str = "") -> None:
        """Add a sent message, or a draft that was set aside; ``full`` is its text without chips, for later chats."""
        self.place = None
        if text and self.entries[-1:] != [text]:
            self.entries.append(text)
            self.unwritten.append(full or text)
            self.write()

    def write(self) -> None:
        """Write the messages that are not in the file yet, starting on a new line if the last one is incomplete."""
        if not self.path:
            return
        lines, self.unwritten = "".join(f"{json.dumps(self.redact(text))}\n" for text in self.unwritten), []
        with suppress(OSError):
            descriptor = os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                size = file.seek(0, os.SEEK_END)
                is_cut = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
                file.write(("\n" * is_cut + lines).encode())

    def older(self, draft: str) -> str | None:
        """Return the previous message, and keep the draft; None if there is none."""
        place = len(self.entries) if self.place is None else self.place
        if place == 0:
            return None
        self.draft = draft if self.place is None else self.draft
        self.place = place - 1
        return self.entries[self.place]

    def newer(self) -> str | None:
        """Return the next message, and finally the draft; None if the draft is shown."""
        if self.place is None:
            return None
        self.place = self.place + 1 if self.place + 1 < len(self.entries) else None
        return self.draft if self.place is None else self.entries[self.place]

    def search(self, words: str) -> Sequence[str]:
        """Return the messages that contain all words, the newest first."""
        wanted = words.lower().split()
        found = (text for text in reversed(self.entries) if all(word in text.lower() for word in wanted))
        return list(dict.fromkeys(found))[:50]


def read_entry(line: str) -> str:
    """Return the message in a line of the file; empty if the line is incomplete, as after a full disk or a kill."""
    with suppress(ValueError):
        if isinstance(text := json.loads(line), str):
            return text
    return ""
