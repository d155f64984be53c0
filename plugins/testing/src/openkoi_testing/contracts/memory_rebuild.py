"""What a memory promises that can be built again from the log."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from openkoi_hookspecs import Memory, Record, SupportsReset, SupportsShadowRebuild

from .memory_asking import answers, everything
from .memory_log import a_log, a_talk
from .supporting import supporting


class Feeding(Protocol):
    """A test class that makes memories."""

    def fed(self, folder: Path, *batches: Sequence[Record]) -> Memory:
        """Return a memory that has absorbed these batches, in this order."""


class RebuildContract:
    """Part of the memory's contract."""

    def test_a_rebuild_says_the_same_and_keeps_what_was(self: Feeding, tmp_path: Path) -> None:
        log = a_log(6) + a_talk("run1", "The parser of the ledger wants a fixture for grammars.")
        memory = self.fed(tmp_path, log[::2], log[1::2])
        before = answers(memory)

        old = asyncio.run(supporting(memory, SupportsReset).reset())

        assert [True] == [path.exists() for path in (old,) if path]
        assert [] == everything(memory, "mend the parser")
        asyncio.run(memory.ingest(log))
        assert before == answers(memory)

    def test_a_shadow_takes_its_place_when_it_is_built(self: Feeding, tmp_path: Path) -> None:
        log = a_log(6)
        memory = self.fed(tmp_path, log[:3])
        rebuilt, before = supporting(memory, SupportsShadowRebuild), answers(memory)
        shadow = rebuilt.create_shadow()
        asyncio.run(shadow.ingest(log))
        still = answers(memory)

        old = asyncio.run(rebuilt.replace_with(shadow))
        shadow.discard()

        assert before == still
        assert [True] == [path.exists() for path in (old,) if path]
        assert answers(self.fed(tmp_path / "other", log)) == answers(memory)
