"""Test randomly damaged files: the right answer or none, never a wrong one and never a crash."""

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from openkoi_hookspecs import Hit, Query
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory_log import many_runs

QUESTION = Query("mend the parser of the invoice cache and the ledger", project="a", limit=50, tokens=50_000)
LOG = many_runs(24)


def damaged(path: Path, seed: int) -> None:
    """Cut it off, overwrite a piece, or flip single bits."""
    chance, data = random.Random(seed), bytearray(path.read_bytes())
    start = chance.randrange(len(data))
    match seed % 3:
        case 0:
            del data[start:]
        case 1:
            data[start : start + 600] = chance.randbytes(min(600, len(data) - start))
        case 2:
            for _ in range(chance.choice((1, 4, 40))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def answers(folder: Path) -> list[Hit]:
    return list(asyncio.run(SQLite(path=folder / "memory.db", seconds=1.0).search(QUESTION)))


def outcome(whole: Path, folder: Path, seed: int) -> str:
    """The result of using a damaged copy."""
    folder.mkdir()
    shutil.copy(whole / "memory.db", folder)
    damaged(folder / "memory.db", seed)
    right, reply = answers(whole), answers(folder)
    set_aside = any(folder.glob("*.bad-*"))
    asyncio.run(SQLite(path=folder / "memory.db").ingest(LOG))
    if answers(folder) != right:
        return "not built again"
    return "right" if reply == right else "set aside" if not reply and set_aside else "wrong"


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 300), marks=pytest.mark.campaign)], ids=len)
def test_a_damaged_file_never_answers_wrongly(tmp_path: Path, seeds: range) -> None:
    asyncio.run(SQLite(path=tmp_path / "memory.db").ingest(LOG))

    outcomes = {seed: outcome(tmp_path, tmp_path / str(seed), seed) for seed in seeds}

    assert {"right", "set aside"} >= set(outcomes.values()), outcomes
