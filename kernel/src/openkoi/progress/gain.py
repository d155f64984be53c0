"""Rate the progress of a cycle, from nothing to real progress."""

from enum import IntEnum


class Gain(IntEnum):
    """The progress of a call, or of a change of the workspace."""

    NOTHING = 0
    SOMETHING = 1
    REAL = 2
