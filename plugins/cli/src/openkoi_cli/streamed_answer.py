"""Write an answer to a pipe or a file as it comes."""

from typing import TextIO

# A remark before a call of a tool is not the answer. It is usually shorter than this, an answer longer (estimate).
HELD_CHARACTERS = 200


class StreamedAnswer:
    """Writes what the model says; a short text is held back until it turns out to be the answer.

    ``written``: all of the last answer was written.
    """

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.held = ""
        self.flows = False
        self.written = False
        self.failed = False

    def add(self, text: str) -> None:
        """Take a piece."""
        self.held += text
        if self.flows or len(self.held) >= HELD_CHARACTERS:
            self.flows = True
            self.write()

    def end(self, *, is_answer: bool) -> None:
        """End the text; drop a short one that is not an answer."""
        self.written = False
        if self.flows or (is_answer and self.held):
            self.held += "\n"
            self.write()
            self.written = is_answer and not self.failed
        self.held, self.flows = "", False

    def write(self) -> None:
        text, self.held = self.held, ""
        try:
            self.out.write(text)
            self.out.flush()
        except OSError:  # a full disk, or a reader that has left: printing the whole answer at the end reports it
            self.failed = True
