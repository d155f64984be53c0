"""Define the log events of proposals."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProposalDrafted(Event):
    """A skill or evaluator was drafted and waits for the user's decision."""

    name = "proposals.drafted"
    proposal: str
    kind: str
    reason: str = ""

    @property
    def line(self) -> str:
        """``[learn] evaluator finance-quality is proposed: openkoi learn``."""
        return f"[learn] {self.kind} {self.proposal} is proposed: {self.reason}. To decide, run `openkoi learn`"
