"""Read a pipe to its end in a thread; stop on request even if another process still has it open."""

import os
import select
import sys
import threading

from .output_capture import OutputCapture

CHUNK_BYTES = 65_536
DRAIN_TIMEOUT_SECONDS = (
    1.0 if sys.platform == "win32" else 30.0
)  # seconds; to mask a piece takes a tenth on a busy machine
MAX_LEFT_CHUNKS = (
    16  # pieces that are read of what a command that has ended left in its pipe: Linux allows a pipe 1 MiB
)


class PipeDrain(threading.Thread):
    """Feeds a capture from a pipe. ``over`` is set at the end of the output, and at the limit."""

    def __init__(self, handle: int, capture: OutputCapture) -> None:
        super().__init__(name="openkoi-output", daemon=True)
        self.handle = handle
        self.capture = capture
        self.over = threading.Event()
        self.stopping = False

    def run(self) -> None:
        """Read until the last writer is gone."""
        try:
            left = MAX_LEFT_CHUNKS
            while left:
                left -= self.stopping
                if is_readable(self.handle, 0.0 if self.stopping else 0.1):
                    if not (piece := os.read(self.handle, CHUNK_BYTES)):
                        break
                    self.add_chunk(piece)
                elif self.stopping:
                    break
        finally:
            os.close(self.handle)
            self.over.set()

    def add_chunk(self, piece: bytes) -> None:
        """Add one chunk, unless the capture is full."""
        self.capture.add(piece)
        if self.capture.is_full:
            self.over.set()

    def stop(self, seconds: float) -> None:
        """Wait briefly for the last writer to end; then read what has arrived, and stop."""
        self.join(seconds)
        self.stopping = True
        self.join(DRAIN_TIMEOUT_SECONDS)


def is_readable(handle: int, seconds: float) -> bool:
    """Return whether there is something to read; on Windows, where pipes cannot be polled, the read itself waits."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
