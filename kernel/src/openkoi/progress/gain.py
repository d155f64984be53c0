"""What a cycle brought, from nothing to real progress."""

from enum import IntEnum


class Gain(IntEnum):
    """What a call, or a change of the workspace, brought."""

    NOTHING = 0
    SOMETHING = 1
    REAL = 2
