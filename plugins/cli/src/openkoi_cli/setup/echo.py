"""Keep a terminal from showing what is typed. Knows POSIX; elsewhere each prompt sees to it itself."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent() -> Iterator[None]:
    """Let the terminal show nothing of what is typed, and forget what was typed before."""
    if sys.platform == "win32":
        yield
        return
    import termios

    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(place, termios.TCSAFLUSH, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)
