"""Limits of a WASM module in one call: memory, time, sizes. A manifest may lower them, or raise them up to the most."""

from dataclasses import field

from openkoi_hookspecs.lazy_dataclass import dataclass

MIB = 1 << 20
MAX_MODULE_BYTES = 2 * MIB  # estimate: ten times a plugin in Rust; a larger one takes minutes to compile
MAX_MEMORY_MIB = 64  # of one call (estimate)
MAX_SECONDS = 30.0  # of one call, as `[hooks] deadline_seconds`
FUEL_PER_SECOND = 1_000_000_000  # about the instructions that a machine executes in a second


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of one call: seconds of the clock, fuel (about one for an instruction), and sizes in bytes."""

    seconds: float = 5.0
    memory: int = MAX_MEMORY_MIB * MIB
    output: int = MIB
    host_calls: int = 10_000
    fuel: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fuel", round(self.seconds * FUEL_PER_SECOND))
