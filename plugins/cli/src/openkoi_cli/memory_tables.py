"""Update the tables of memory, for programs that read them."""

from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, Memory, SupportsTables

from .memory_in_use import NO_MEMORY, load_usable_memory

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import OpenedKoi

NO_TABLES = "The memory {name!r} has no tables."


async def update_tables(koi: "OpenedKoi", sessions: "Path") -> str:
    """Let the tables of the chosen memory read the records that they lack; return a line about them."""
    from openkoi_runlog.memory_sync import MemorySync

    from .memory_search import read_health
    from .without_hooks import without_hooks

    async with without_hooks(koi):
        memory, name = await load_usable_memory(koi, "Updating the tables"), koi.chosen_name("memory")
        if not isinstance(memory, SupportsTables):
            raise KoiError(NO_TABLES.format(name=name) if memory else NO_MEMORY)
        tables = memory.table_view()

        async def load() -> Memory:
            return tables

        await MemorySync(sessions, koi.warn, load).update()
        return ", ".join(f"{word} {value}" for word, value in (await read_health(tables)).items())
