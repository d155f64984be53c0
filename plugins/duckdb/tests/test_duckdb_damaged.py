"""Test a memory file damaged in a hundred ways: it gives the right answers, or reports that it cannot.

Each damage has a process of its own, so that one which ends it is seen. They are forked from one that has DuckDB
imported, which is this file run as a script.
"""

import asyncio
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_duckdb.lock import LockTimeout
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Hit, KoiError, Query, Record, Response, StreamEnd, Text, Usage
from openkoi_hookspecs.events import ModelResponse
from openkoi_testing.contracts.memory_log import SUBJECTS, many_runs, records_of

NAME, BLOCK, HEADS, WAIT = "openkoi.db", 16_384, 12_288, 240
QUESTIONS = [
    Query(f"mend the {one} of the {other}", project=project, limit=50, tokens=50_000)
    for one, other in zip(SUBJECTS[::5], SUBJECTS[1::5], strict=False)
    for project in "ab"
]
Answers = list[list[Hit]]
Damage = Callable[[Path, random.Random], object]


def said_in(run: str, n: int) -> list[Record]:
    """A model's answers in a run, in words of the questions."""
    chance = random.Random(n)
    texts = [f"{' '.join(chance.choices(SUBJECTS, k=40))}. That is mended." for _ in range(3)]
    answers = [ModelResponse("acme/large", Response((Text(text),), StreamEnd(Usage())), 0.0) for text in texts]
    return [replace(record, run=run) for record in records_of(f"said{n}", answers, start=n * 60.0)]


def the_log(size: int) -> list[Record]:
    return many_runs(size) + [record for n in range(size) for record in said_in(f"run{n}", n)]


LOG = the_log(20)


def bits(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 4, 40))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def head(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(min(HEADS, len(data)))] ^= 1 << chance.randrange(8)


def rubbish(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    data[start : start + 600] = chance.randbytes(min(600, len(data) - start))


def zeros(data: bytearray, chance: random.Random) -> None:
    start, size = chance.randrange(len(data)), chance.choice((16, 4_096, BLOCK))
    data[start : start + size] = bytes(min(size, len(data) - start))


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def exchanged(data: bytearray, chance: random.Random) -> None:
    """Swap two intact blocks."""
    one, other = (HEADS + chance.randrange((len(data) - HEADS) // BLOCK) * BLOCK for _ in "ab")
    data[one : one + BLOCK], data[other : other + BLOCK] = data[other : other + BLOCK], data[one : one + BLOCK]


def within(change: Callable[[bytearray, random.Random], None], ending: str = "") -> Damage:
    """Damage the bytes of the file, or of the file beside it."""

    def damage(path: Path, chance: random.Random) -> None:
        path = path.with_name(path.name + ending)
        data = bytearray(path.read_bytes())
        change(data, chance)
        path.write_bytes(data)

    return damage


def older_blocks(path: Path, chance: random.Random) -> None:
    """Intact blocks from before the last write, as if that write had not happened."""
    data, old = bytearray(path.read_bytes()), path.with_name("older").read_bytes()
    for _ in range(chance.choice((1, 2, 5))):
        start = HEADS + chance.randrange((min(len(data), len(old)) - HEADS) // BLOCK) * BLOCK
        data[start : start + BLOCK] = old[start : start + BLOCK]
    path.write_bytes(data)


def log_gone(path: Path, _: random.Random) -> None:
    path.with_name(f"{NAME}.wal").unlink(missing_ok=True)


def a_folder(path: Path, _: random.Random) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path, chance: random.Random) -> None:
    path = path.with_name(NAME + chance.choice(("", ".wal", ".lock")))
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def another_format(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.choice((b"", b"SQLite format 3\0" * 90, b"no database at all " * 900, bytes(50_000))))


def another_program(path: Path, _: random.Random) -> None:
    import duckdb

    path.unlink()
    with duckdb.connect(path) as other:
        other.execute("CREATE TABLE tasks (id BIGINT)")


def read_only(path: Path, _: random.Random) -> None:
    path.chmod(0o400)


def full_disk(path: Path, chance: random.Random) -> None:
    """A full disk; Python may not write bytecode either, which would be cut off for other processes."""
    import resource

    sys.dont_write_bytecode = True
    path.unlink()
    resource.setrlimit(resource.RLIMIT_FSIZE, (chance.choice((100, 20_000, 300_000, 700_000)), resource.RLIM_INFINITY))


DAMAGES: Sequence[Damage] = (
    *(within(bits), within(cut), within(rubbish), within(zeros), within(head), within(exchanged)),
    *(within(bits, ".wal"), within(cut, ".wal"), within(rubbish, ".wal"), within(zeros, ".wal")),
    *(older_blocks, log_gone, a_folder, a_pipe, another_format, another_program, read_only, full_disk),
)


async def asked(memory: TableMemory) -> Answers:
    return [list(await memory.search(query)) for query in QUESTIONS]


async def a_start(path: Path) -> tuple[Answers, str]:
    """A run's use of memory: it ingests new records, and queries; and the errors."""
    memory, error = TableMemory(path=path, seconds=1.0), ""
    try:
        seen = await memory.offsets()
        await memory.ingest([one for one in LOG if not one.segment or one.end > seen.get(one.segment, 0)])
    except KoiError as wrong:
        error = str(wrong)
    try:
        return await asked(memory), error
    except KoiError as wrong:
        return [[] for _ in QUESTIONS], str(wrong)


class Heard(logging.Handler):
    """OpenKoi's warnings."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def outcome(whole: Path, folder: Path, seed: int) -> str:
    """The result of one damage: now, and at the next start, when the disk has room and nothing is in the way."""
    import resource

    heard = Heard()
    logging.getLogger("openkoi").addHandler(heard)
    right = asyncio.run(asked(TableMemory(path=whole / "right.db")))
    shutil.copytree(whole, folder)
    DAMAGES[seed % len(DAMAGES)](folder / NAME, random.Random(seed))
    first, error = asyncio.run(a_start(folder / NAME))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (folder / f"{NAME}.lock").unlink(missing_ok=True)
    after, _ = asyncio.run(a_start(folder / NAME))
    if after != right:
        return f"not built again {heard.texts} {error}"
    if first == right:
        return "right"
    known = {hit.item.id for hits in right for hit in hits} | {record.run for record in LOG}
    made_up = [hit.item.id for hits in first for hit in hits if hit.item.id not in known]
    return "said" if (error or heard.texts) and not made_up else f"wrong {made_up} {heard.texts} {error}"


def prepare(whole: Path) -> str:
    """A file that grew in several steps, its state before the last one, and DuckDB's write-ahead log."""
    memory, size = TableMemory(path=whole / NAME), len(LOG) // 6 + 1
    parts = [LOG[start : start + size] for start in range(0, len(LOG), size)]
    for part in parts[:-2]:
        asyncio.run(memory.ingest(part))
    shutil.copy(whole / NAME, whole / "older")
    asyncio.run(memory.ingest(parts[-2]))
    waited = LockTimeout(5.0)
    waited.lasts()
    memory.take_in(parts[-1], waited)
    asyncio.run(TableMemory(path=whole / "right.db").ingest(LOG))
    return "prepared"


def apart(work: Callable[[], str]) -> str:
    """The result of work in a separate process, and the signal that ended it, if any."""
    mine, its = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(WAIT)
        os.write(its, work().encode()[:4_000])
        os._exit(0)
    os.close(its)
    with os.fdopen(mine) as told_by:
        reply = told_by.read()
    _, status = os.waitpid(child, 0)
    return reply if not status and reply else f"crashed {status}"


def campaign(folder: Path, seeds: range) -> None:
    """Print one line per damage."""
    import duckdb  # noqa: F401  # so that each fork has it

    (folder / "whole").mkdir()
    apart(lambda: prepare(folder / "whole"))
    for seed in seeds:
        print(apart(lambda seed=seed: outcome(folder / "whole", folder / str(seed), seed)))  # type: ignore[misc]  # bound early
        shutil.rmtree(folder / str(seed), ignore_errors=True)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes, limits and forks of POSIX")
@pytest.mark.parametrize(
    "seeds", [range(13, 15), pytest.param(range(126), marks=[pytest.mark.campaign, pytest.mark.timeout(600)])], ids=len
)
def test_a_damaged_file_never_answers_wrongly_never_crashes_and_is_said(tmp_path: Path, seeds: range) -> None:
    order = [sys.executable, __file__, str(tmp_path), str(seeds.start), str(seeds.stop)]

    result = subprocess.run(order, capture_output=True, text=True, check=False)

    outcomes = dict(zip(seeds, result.stdout.splitlines(), strict=True))
    assert {} == {seed: reply for seed, reply in outcomes.items() if reply not in ("right", "said")}, result.stderr


if __name__ == "__main__":
    campaign(Path(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[3])))
