"""The events of WASM plugins."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MessageLogged(Event):
    """A message of a module by ``koi.log``; shown, but not kept."""

    name = "wasm.log"
    durable = False
    plugin: str
    text: str

    @property
    def line(self) -> str:
        """The text that the user reads."""
        return f"[{self.plugin}] {self.text}"
