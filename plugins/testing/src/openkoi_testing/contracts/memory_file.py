"""Test a memory that keeps a file: it is private, and whatever happens to it, nothing is lost or invented.

class TestMineFile(MemoryFileContract):
    subject = Mine

    def hold_lock(self, path):          # a context in which another program keeps the file from being written
        ...
"""

import asyncio
import logging
import stat
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from openkoi_hookspecs import KoiError, Memory, Query, SupportsOffsets

from .memory import MemoryFactory, ids_of, search_project
from .memory_log import LINE_BYTES, many_runs, run_records

RUN = run_records("r1", "Fix the parser")
ALL = {"r1.jsonl": len(RUN) * LINE_BYTES}
Damage = Callable[[Path], object]


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


def garble_file(path: Path) -> None:
    path.write_bytes(b"no database at all " * 1_000)


def cut_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def flip_byte(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 255 if n > 4_096 else byte for n, byte in enumerate(path.read_bytes())))


DAMAGES = (empty_file, garble_file, cut_file, flip_byte)


class MemoryFileContract:
    """Inherit it, set the ``subject``, and implement how another program locks the file."""

    subject: MemoryFactory
    name: ClassVar[str] = "memory.db"

    def memory(self, folder: Path, **settings: object) -> Memory:
        """Return the memory that stores its file in this folder, as a new process would have it."""
        return type(self).subject(path=folder / self.name, **settings)

    def with_offsets(self, folder: Path) -> SupportsOffsets:
        """Return the same memory, typed as one that records its read position."""
        memory = self.memory(folder)
        assert isinstance(memory, SupportsOffsets)
        return memory

    def hold_lock(self, path: Path) -> AbstractContextManager[object]:
        """Return a context in which another program keeps the file from being written."""
        raise TypeError(f"{type(self).__name__} must override this method")

    def test_asking_makes_no_file(self, tmp_path: Path) -> None:
        memory = self.memory(tmp_path / "data")

        assert [] == search_project(memory, "anything")
        assert not (tmp_path / "data").exists()

    def test_absorbing_nothing_makes_no_file(self, tmp_path: Path) -> None:
        asyncio.run(self.memory(tmp_path).ingest([]))

        assert [] == list(tmp_path.iterdir())

    @pytest.mark.skipif(sys.platform == "win32", reason="file modes have no effect there")
    def test_whatever_it_keeps_is_for_its_user_alone(self, tmp_path: Path) -> None:
        asyncio.run(self.memory(tmp_path / "data").ingest(RUN))
        readable = [path for path in (tmp_path / "data").iterdir() if path.stat().st_size]

        assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in readable}
        assert 0o700 == stat.S_IMODE((tmp_path / "data").stat().st_mode)

    @pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
    def test_a_damaged_file_is_reported_moved_aside_and_rebuilt(
        self, tmp_path: Path, damage: Damage, caplog: pytest.LogCaptureFixture
    ) -> None:
        asyncio.run(self.memory(tmp_path).ingest(RUN))
        damage(tmp_path / self.name)
        again = self.memory(tmp_path)

        with caplog.at_level(logging.WARNING, "openkoi"):
            assert [] == search_project(again, "parser")

        assert 1 == len([*tmp_path.glob(f"{self.name}.bad-*[0-9]")])
        assert "rebuilt from the run log" in caplog.text
        assert {} == asyncio.run(self.with_offsets(tmp_path).offsets())
        asyncio.run(again.ingest(RUN))
        assert ["r1"] == ids_of(search_project(again, "parser"))

    def test_a_file_lost_in_mid_run_takes_no_offsets_so_that_the_next_start_reads_all(self, tmp_path: Path) -> None:
        memory = self.memory(tmp_path)
        asyncio.run(memory.ingest(RUN[:5]))
        assert isinstance(memory, SupportsOffsets)
        asyncio.run(memory.offsets())
        garble_file(tmp_path / self.name)

        asyncio.run(memory.ingest(RUN[5:]))

        assert {} == asyncio.run(self.with_offsets(tmp_path).offsets())

    def test_a_file_that_another_program_keeps_takes_nothing_and_loses_nothing(self, tmp_path: Path) -> None:
        asyncio.run(self.memory(tmp_path).ingest(RUN))

        with self.hold_lock(tmp_path / self.name), pytest.raises(KoiError, match="Nothing is lost"):
            asyncio.run(self.memory(tmp_path, seconds=0.05).ingest(many_runs(1)))
        assert ALL == asyncio.run(self.with_offsets(tmp_path).offsets())
        assert ["r1"] == ids_of(search_project(self.memory(tmp_path), "parser"))

    def test_an_unwritable_place_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("a file where the folder should be")

        with pytest.raises(KoiError, match="cannot be used"):
            asyncio.run(self.memory(tmp_path / "data").ingest(RUN))

    def test_a_memory_that_was_moved_aside_is_rebuilt_with_the_same_hits(self, tmp_path: Path) -> None:
        log, question = many_runs(8), Query("fix the parser of the ledger", project="a", limit=50, tokens=50_000)
        memory = self.memory(tmp_path)
        asyncio.run(memory.ingest(log))
        before = asyncio.run(memory.search(question))
        (tmp_path / self.name).unlink()
        for beside in tmp_path.glob(f"{self.name}[-.]*"):
            beside.unlink()

        asyncio.run(memory.ingest(log))

        assert list(before) == list(asyncio.run(memory.search(question)))
