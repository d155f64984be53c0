"""The memory that is chosen, and the records that it lacks."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi, Memory


async def load_memory(koi: "Koi") -> "Memory | None":
    """Return the chosen memory; None where none is chosen or it cannot be had."""
    return cast("Memory | None", await koi.load_chosen("memory"))


async def update_memory(koi: "Koi", sessions: "Path") -> None:
    """Give the chosen memory the records that it has not seen."""
    from openkoi_runlog.memory_sync import MemorySync

    await MemorySync(sessions, koi.warn, lambda: load_memory(koi)).update()
