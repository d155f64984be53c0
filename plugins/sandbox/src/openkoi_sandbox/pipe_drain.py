"""Read a pipe to its end in a thread of its own, and stop reading when told to although somebody still holds it."""

import os
import select
import sys
import threading

from .capture import Capture

PIECE = 65_536
PATIENCE = 1.0 if sys.platform == "win32" else 30.0  # seconds; to mask a piece takes a tenth on a busy machine
LEFT = 16  # pieces that are read of what a command that has ended left in its pipe: Linux allows a pipe 1 MiB


class Drain(threading.Thread):
    """Feeds a capture from a pipe. ``over`` is set at its end, and once there is too much."""

    def __init__(self, handle: int, capture: Capture) -> None:
        super().__init__(name="openkoi-output", daemon=True)
        self.handle = handle
        self.capture = capture
        self.over = threading.Event()
        self.told = False

    def run(self) -> None:
        """Read until the last writer is gone."""
        try:
            left = LEFT
            while left:
                left -= self.told
                if ready(self.handle, 0.0 if self.told else 0.1):
                    if not (piece := os.read(self.handle, PIECE)):
                        break
                    self.take(piece)
                elif self.told:
                    break
        finally:
            os.close(self.handle)
            self.over.set()

    def take(self, piece: bytes) -> None:
        """Hand on one piece, unless it is no longer wanted."""
        self.capture.add(piece)
        if self.capture.full:
            self.over.set()

    def stop(self, seconds: float) -> None:
        """Give it a moment until the last writer is gone; then it reads what is there, and stops."""
        self.join(seconds)
        self.told = True
        self.join(PATIENCE)


def ready(handle: int, seconds: float) -> bool:
    """Whether there is something to read; where pipes cannot be asked (Windows), reading itself waits."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
