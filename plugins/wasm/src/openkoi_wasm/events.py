"""The events of WASM plugins."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MessageLogged(Event):
    """What a module says by ``koi.log``; shown, and not kept."""

    name = "wasm.log"
    durable = False
    plugin: str
    text: str

    @property
    def line(self) -> str:
        """What the user reads."""
        return f"[{self.plugin}] {self.text}"
