"""Load the chosen memory, and let it read new records."""

from typing import TYPE_CHECKING, cast

from openkoi_hookspecs import KoiError

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi, Memory

NO_MEMORY = 'No memory is enabled. Set `memory` under [use] in the config file, such as memory = "duckdb".'


async def load_memory(koi: "Koi") -> "Memory | None":
    """Return the chosen memory; None if none is chosen or it cannot be loaded."""
    return cast("Memory | None", await koi.load_chosen("memory"))


async def load_usable_memory(koi: "Koi", purpose: str) -> "Memory | None":
    """Return the chosen memory; None if none is chosen. Raise KoiError if it cannot be loaded."""
    memory, name = await load_memory(koi), koi.chosen_name("memory")
    if memory is None and name:
        raise KoiError(f"{purpose} failed: the memory {name!r} cannot be used. Run `openkoi doctor`.")
    return memory


async def update_memory(koi: "Koi", sessions: "Path") -> None:
    """Let the chosen memory read the records that it has not read."""
    from openkoi_runlog.memory_sync import MemorySync

    await MemorySync(sessions, koi.warn, lambda: load_memory(koi)).update()
