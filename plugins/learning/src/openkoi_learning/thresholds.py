"""The score changes from which a rule learns."""

from openkoi_hookspecs.lazy_dataclass import dataclass

REGRESSION_DELTA = 0.1  # default of learning.regression_delta
PLATEAU_DELTA = 0.02  # default of learning.plateau_delta


@dataclass(frozen=True, slots=True)
class Thresholds:
    """By how much a score must fall, or how little it must gain at the end, before a rule applies (LEARN-04)."""

    regression: float = REGRESSION_DELTA
    plateau: float = PLATEAU_DELTA
