"""Limits of a WASM (WebAssembly) module in one call: memory, time (fuel) and sizes. A manifest may change them."""

from openkoi_hookspecs.lazy_dataclass import dataclass

MIB = 1 << 20
MAX_MODULE_BYTES = 2 * MIB  # estimate: ten times a plugin in Rust; a larger one takes minutes to compile
MAX_MEMORY_MIB = 64  # of one call (estimate)
MAX_SECONDS = 30.0  # of one call, as `[hooks] deadline_seconds`
FUEL_PER_SECOND = 1_000_000_000  # about the instructions that a machine executes in a second
AT_ONCE_FUEL = 200_000  # 0.2 ms of instructions
AT_ONCE_SECONDS = 0.02  # for instructions that fill much memory, which fuel does not count


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Limits of one call: seconds of the clock, fuel (about one for an instruction), and sizes in bytes."""

    seconds: float = 5.0
    memory: int = MAX_MEMORY_MIB * MIB
    output: int = MIB
    host_calls: int = 10_000
    fuel: int = 0  # as the seconds have, unless it is given

    def __post_init__(self) -> None:
        if not self.fuel:
            object.__setattr__(self, "fuel", round(self.seconds * FUEL_PER_SECOND))

    @property
    def at_once(self) -> "CallLimits":
        """The limits of a call short enough to run in the event loop; it may not call OpenKoi either."""
        seconds = min(self.seconds, AT_ONCE_SECONDS)
        return CallLimits(seconds, self.memory, self.output, host_calls=0, fuel=AT_ONCE_FUEL)
