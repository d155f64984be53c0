"""Hide typed input on POSIX terminals; elsewhere each prompt does so itself."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hide_input() -> Iterator[None]:
    """Hide input in the block, and discard earlier input."""
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
