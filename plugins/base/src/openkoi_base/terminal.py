"""Find out whether a user can be prompted."""

import sys
from typing import TextIO


def can_prompt(output: TextIO) -> bool:
    """Return whether a terminal is attached to standard input and to the output that shows the prompt."""
    return sys.stdin.isatty() and output.isatty()
