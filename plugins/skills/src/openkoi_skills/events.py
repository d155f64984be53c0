"""Define the events that the plugin writes to the run log."""

from dataclasses import KW_ONLY

from openkoi_base.skillfile.locations import SkillSource
from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SkillActivated(Event):
    """The model was given a skill to follow, with its allowed tools; ``why`` is the reason."""

    name = "skills.activated"
    skill: str
    tools: tuple[str, ...] = ()
    _: KW_ONLY
    source: str = ""
    why: str = ""
    score: float = 0.0

    @property
    def line(self) -> str:
        """Format as ``[skill] deploy (learned, conf: 0.89)``: generated or not, and the score."""
        learned = "learned, " if self.source == SkillSource.PROPOSED else ""
        return f"[skill] {self.skill} ({learned}{f'conf: {self.score:.2f}' if self.score else self.why})"
