"""The settings of the judge, and what it keeps from one judgment to the next."""

from dataclasses import field
from pathlib import Path
from typing import Annotated

from openkoi_base.skillfile.locations import Trust
from openkoi_hookspecs import ConfigError, DataDir, SharedSetting
from openkoi_hookspecs.lazy_dataclass import dataclass

from .cache import JudgmentCache

MIN_SKIP_CONFIDENCE = 0.9  # a lower score is never reused; the setting has the same bound (estimate)
WRONG = "[evaluators.judge]{other} {name} is {value}. It must be at least {bound}."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """What ``[evaluators.judge]`` may set.

    ``votes`` are requested when the score is within ``band`` of the threshold, and when nothing was changed. ``folder``
    is OpenKoi's data folder, ``path`` lists more folders with evaluators. A project's evaluators are used only if
    ``trust`` allows it. No judgment is made after a change of at most ``small`` characters when the last score reached
    ``skip_eval_confidence`` and the checks pass. With ``require_certified``, a judgment without a passed certificate is
    informational; without ``certificates``, none are read.
    """

    rubric: str = ""
    votes: int = 3
    band: float = 0.08
    max_output: int = 2000
    temperature: float = 0.1
    max_diff: int = 24_000
    skip_eval_confidence: Annotated[float, SharedSetting("iteration.skip_eval_confidence")] = 0.95
    small: int = 2_000
    require_certified: bool = False
    certificates: bool = True
    folder: Annotated[Path | None, DataDir("")] = None
    path: tuple[Path, ...] = ()
    trust: Trust | None = None
    kept: JudgmentCache = field(default_factory=JudgmentCache, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reject invalid settings, and those that would leave doubtful work unjudged."""
        least = {"votes": 1, "band": 0, "max_output": 1, "temperature": 0, "max_diff": 1, "small": 0}
        for name, bound in {**least, "skip_eval_confidence": MIN_SKIP_CONFIDENCE}.items():
            if not getattr(self, name) >= bound:
                other = " or [iteration]" if name == "skip_eval_confidence" else ""
                raise ConfigError(WRONG.format(name=name, value=getattr(self, name), bound=bound, other=other))
