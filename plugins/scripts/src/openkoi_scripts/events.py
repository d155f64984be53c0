"""The events of scripts."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ScriptLogged(Event):
    """A script logged a line."""

    name = "scripts.logged"
    script: str
    text: str

    @property
    def line(self) -> str:
        """The text that the user reads."""
        return f"{self.script}: {self.text}"
