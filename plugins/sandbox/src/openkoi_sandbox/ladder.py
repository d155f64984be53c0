"""Choose which sandbox is used: the strongest one that passes its self-test here. Entry point ``ladder``."""

from .base import BaseSandbox
from .bubblewrap import BUBBLEWRAP_LEVEL
from .landlock import LANDLOCK_LEVEL
from .level import NO_LEVEL
from .rlimits_sandbox import RLIMITS_LEVEL


class SandboxLadder(BaseSandbox):
    """Use the strongest level that passes its self-test, tested once. Configured by ``[sandboxes.ladder]``."""

    levels = (BUBBLEWRAP_LEVEL, LANDLOCK_LEVEL, RLIMITS_LEVEL, NO_LEVEL)
