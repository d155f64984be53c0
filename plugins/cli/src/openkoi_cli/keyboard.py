"""Read single keys from the terminal during a run: Esc interrupts it.

The terminal does not echo meanwhile; its modes are restored at the end, and while a question or a child uses it.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from time import monotonic
from typing import Any

ESCAPE = b"\x1b"
ESCAPE_SECONDS = 0.05  # the rest of an arrow key's sequence comes within this time, also over a slow connection
LINE_SECONDS = 5.0  # without a key, after which what is typed is a new line (estimate)
CHANGED: dict[int, list[Any]] = {}  # the modes to restore, by descriptor; also for an exit without cleanup


class Keyboard:
    """The terminal's keys."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.watching = False
        self.timer: asyncio.TimerHandle | None = None
        self.begun_at = -LINE_SECONDS

    @property
    def has_begun_line(self) -> bool:
        """Whether the user has just started a line that nothing reads, whose end must not answer a question."""
        return monotonic() - self.begun_at < LINE_SECONDS

    def watch(self) -> None:
        """Interrupt this process at Esc; ignore all other keys."""
        if not self.watching:
            self.watching = True
            read_keys_at_once(self.descriptor)
            loop = asyncio.get_running_loop()
            loop.add_reader(self.descriptor, self.read)
            loop.add_signal_handler(signal.SIGCONT, read_keys_at_once, self.descriptor)

    def release(self) -> None:
        """Restore the terminal, so that others can read from it."""
        if self.watching:
            self.watching = False
            loop = asyncio.get_running_loop()
            loop.remove_reader(self.descriptor)
            loop.remove_signal_handler(signal.SIGCONT)
            self.forget_escape()
            restore_terminal_modes()

    def read(self) -> None:
        """Take the keys that were pressed; Esc alone interrupts, unless it begins the sequence of another key."""
        keys = self.read_pressed()
        if not keys:  # the terminal is gone
            self.release()
            return
        self.forget_escape()
        if not keys.startswith(ESCAPE):
            self.begun_at = -LINE_SECONDS if keys.endswith((b"\r", b"\n")) else monotonic()
        if keys == ESCAPE:
            self.timer = asyncio.get_running_loop().call_later(ESCAPE_SECONDS, signal.raise_signal, signal.SIGINT)

    def read_pressed(self) -> bytes:
        """Return the keys that were pressed; nothing if the terminal is gone."""
        with suppress(OSError):
            return os.read(self.descriptor, 1024)
        return b""

    def forget_escape(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None


def open_keyboard() -> Keyboard | None:
    """Return the keyboard, or None if there is no terminal or the process is in the background."""
    try:
        import termios
    except ImportError:  # on Windows, Ctrl-C interrupts
        return None
    with suppress(OSError, ValueError, AttributeError, termios.error):
        descriptor = sys.stdin.fileno()
        if os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp():
            return Keyboard(descriptor)
    return None


def read_keys_at_once(descriptor: int) -> None:
    """Make the terminal pass each key at once, without echo; Ctrl-C and Ctrl-Z keep their effect."""
    import termios

    with suppress(termios.error):
        modes = termios.tcgetattr(descriptor)
        CHANGED.setdefault(descriptor, [*modes[:6], [*modes[6]]])
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)


def restore_terminal_modes() -> None:
    """Restore the modes of each terminal that was changed."""
    import termios

    while CHANGED:
        descriptor, modes = CHANGED.popitem()
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)
