"""Test a memory that can be rebuilt from the log."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from openkoi_hookspecs import (
    Memory,
    Record,
    SupportsOffsets,
    SupportsParts,
    SupportsReset,
    SupportsSelection,
    SupportsShadowRebuild,
    SupportsTables,
)

from .memory_log import SUBJECTS, many_runs, talk_records
from .memory_queries import search_all, search_many
from .optional_protocols import require_protocol

PART_RECORDS = 10


class FedMemory(Protocol):
    """Describe a test class that makes memories."""

    def memory(self, folder: Path) -> Memory:
        """Return the memory that stores its files in a folder."""

    def fed(self, folder: Path, *batches: Sequence[Record]) -> Memory:
        """Return a memory that has ingested these batches, in this order."""


class RebuildContract:
    """Test rebuilding, as a part of the memory's contract."""

    def test_a_rebuild_says_the_same_and_keeps_what_was(self: FedMemory, tmp_path: Path) -> None:
        log = many_runs(6) + talk_records("run1", "The parser of the ledger needs a fixture for grammars.")
        memory = self.fed(tmp_path, log[::2], log[1::2])
        before = search_many(memory)

        old = asyncio.run(require_protocol(memory, SupportsReset).reset())

        assert [True] == [path.exists() for path in (old,) if path]
        assert [] == search_all(memory, "fix the parser")
        asyncio.run(memory.ingest(log))
        assert before == search_many(memory)

    def test_what_it_needs_is_all_that_its_answers_depend_on(self: FedMemory, tmp_path: Path) -> None:
        log = many_runs(6) + talk_records("run1", "The parser of the ledger needs a fixture for grammars.")
        memory = self.fed(tmp_path / "whole", log)
        needs = (tuple(memory.needs) if isinstance(memory, SupportsSelection) else ()) or (object,)

        selected = [record for record in log if isinstance(record.event, needs)]

        assert search_many(memory) == search_many(self.fed(tmp_path / "selected", selected))

    def test_a_run_that_arrives_in_parts_is_found_as_the_whole(self: FedMemory, tmp_path: Path) -> None:
        texts = [f"The {one} of the {other} needs a fixture." for one in SUBJECTS for other in SUBJECTS[::5]]
        log = many_runs(1)[:1] + talk_records("run0", *texts, start=1.0)
        whole, memory = self.fed(tmp_path / "whole", log), self.memory(tmp_path / "parts")
        takes_parts = isinstance(memory, SupportsParts) and memory.ingests_parts

        for end in range(PART_RECORDS, len(log) + PART_RECORDS, PART_RECORDS):
            asyncio.run(memory.ingest(log[end - PART_RECORDS : end]))
            if takes_parts and end == 2 * PART_RECORDS:
                found = search_many(memory)
                assert any(found), "The texts of a run are not found before it ends, although it is ingested in parts."
                assert search_many(self.fed(tmp_path / "beginning", log[:end])) == found

        assert any(search_many(whole))
        assert search_many(whole) == search_many(memory)

    def test_its_tables_absorb_the_log_and_know_how_far(self: FedMemory, tmp_path: Path) -> None:
        log = many_runs(3)
        memory = self.fed(tmp_path, log)
        tables = memory.table_view() if isinstance(memory, SupportsTables) else memory

        asyncio.run(tables.ingest(log))

        ends = {record.segment: record.end for record in log if record.segment}
        assert ends == asyncio.run(require_protocol(tables, SupportsOffsets).offsets())

    def test_a_shadow_takes_its_place_when_it_is_built(self: FedMemory, tmp_path: Path) -> None:
        log = many_runs(6)
        memory = self.fed(tmp_path, log[:3])
        rebuilt, before = require_protocol(memory, SupportsShadowRebuild), search_many(memory)
        shadow = rebuilt.create_shadow()
        asyncio.run(shadow.ingest(log))
        still = search_many(memory)

        old = asyncio.run(rebuilt.replace_with(shadow))
        shadow.discard()

        assert before == still
        assert [True] == [path.exists() for path in (old,) if path]
        assert search_many(self.fed(tmp_path / "other", log)) == search_many(memory)
