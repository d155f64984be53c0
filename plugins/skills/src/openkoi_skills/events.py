"""What the plugin writes into the run log, so that it can be read back from there."""

from dataclasses import KW_ONLY, dataclass

from openkoi_hookspecs import Event
from openkoi_skillfile import SkillSource


@dataclass(frozen=True, slots=True)
class Activated(Event):
    """The model was given a skill to follow, and the tools it keeps to; ``why`` says what spoke for it."""

    name = "skills.activated"
    skill: str
    tools: tuple[str, ...] = ()
    _: KW_ONLY
    source: str = ""
    why: str = ""
    score: float = 0.0

    @property
    def line(self) -> str:
        """``[skill] deploy (learned, conf: 0.89)``: that we wrote it, where we did, and how much spoke for it."""
        learned = "learned, " if self.source == SkillSource.PROPOSED else ""
        return f"[skill] {self.skill} ({learned}{f'conf: {self.score:.2f}' if self.score else self.why})"
