"""Define the log events of proposals."""

from dataclasses import dataclass

from openkoi_hookspecs import Event


@dataclass(frozen=True, slots=True)
class Drafted(Event):
    """A skill or an evaluator was drafted, and waits for a person's word."""

    name = "proposals.drafted"
    proposal: str
    kind: str
    reason: str = ""

    @property
    def line(self) -> str:
        """``[learn] evaluator finance-quality is proposed: openkoi learn``."""
        return f"[learn] {self.kind} {self.proposal} is proposed: {self.reason}. To decide: openkoi learn"
