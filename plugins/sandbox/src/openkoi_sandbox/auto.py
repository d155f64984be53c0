"""The entry ``ladder``: of all cages the strongest that can be proved here, found once by trying them in turn."""

from .bubblewrap import ISOLATED
from .caged import Caged
from .landlock import CONFINED
from .limited import LIMITED
from .rung import PLAIN


class Ladder(Caged):
    """Steps down until a rung holds what it claims. Configured by ``[sandboxes.ladder]``."""

    rungs = (ISOLATED, CONFINED, LIMITED, PLAIN)
