"""Build the view of memory again from the whole log. Knows one socket; knows no backend."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.files import private_folder
from openkoi_base.files.filelock import try_lock
from openkoi_hookspecs import Koi, KoiError, Memory, Record, SupportsReset, SupportsShadowRebuild
from openkoi_report import format_count
from openkoi_runlog.memory_sync import BATCH, batches

from .memory_in_use import load_memory
from .remembered import examined

if TYPE_CHECKING:
    from openkoi_cli.archive import Log, SegmentError

CHANGING = ("file", "size")
PAUSE = 0.1
WAITING = "Memory is being built again by another process: waiting for it to end."
NO_PLACE = "Memory cannot be built again: {place}: {why}. Make room or give access, and do it once more."


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What to say of it, and whether there is less than before."""

    lines: list[str]
    fewer: bool


async def rebuilt(koi: Koi, data: Path, say: Callable[[str], object]) -> Rebuilt:
    """Tell memory everything again, after whoever is just doing that; raises KoiError when there is none."""
    from openkoi_cli.archive import Log

    memory = await load_memory(koi)
    if memory is None:
        raise KoiError(" ".join(["There is no memory to build again: choose one with [use] memory.", *koi.warnings()]))
    log = Log(data)
    async with alone(log.data, say):
        return await told_again(memory, log)


@contextmanager
def writing_in(data: Path) -> Iterator[None]:
    """Say of a folder that cannot be written in what is to be done about it."""
    try:
        yield
    except OSError as error:
        raise KoiError(NO_PLACE.format(place=error.filename or data, why=error.strerror or error)) from error


@asynccontextmanager
async def alone(data: Path, say: Callable[[str], object]) -> AsyncIterator[None]:
    """Wait until nobody else builds there, and keep others from it; whoever waits can still be interrupted."""
    with writing_in(data):
        file = os.open(private_folder(data) / ".rebuild.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(file):
            say(WAITING)
            while not try_lock(file):  # noqa: ASYNC110  # a lock of another process wakes nobody
                await asyncio.sleep(PAUSE)
        yield
    finally:
        os.close(file)


async def told_again(memory: Memory, log: "Log") -> Rebuilt:
    """Tell memory all of the log: beside its view where it can, else in a view that is moved aside before."""
    faults: list[SegmentError] = []
    before = await counts(memory)
    if isinstance(memory, SupportsShadowRebuild):
        records, old = await rebuild_beside(memory, log, faults.append)
    else:
        with writing_in(log.data):
            old = await memory.reset() if isinstance(memory, SupportsReset) else None
        records = await told_all(memory, log, faults.append)
    after = await counts(memory)
    lines = [f"{format_count(records, 'record')} of the log told to memory again.", *compared(before, after)]
    lines += [f"  ! {fault}, and was left out." for fault in faults]
    lines += [f"The view as it was is {old}: delete it when all is well."] if old else []
    return Rebuilt(lines, any(number(after.get(word, "0")) < number(value) for word, value in before.items()))


async def rebuild_beside(
    memory: SupportsShadowRebuild, log: "Log", report: "Callable[[SegmentError], object]"
) -> tuple[int, Path | None]:
    """Build a view beside the one in use, which it replaces when all is told; where that fails nothing is changed."""
    with writing_in(log.data):
        shadow = memory.create_shadow()
    try:
        records = await told_all(shadow, log, report)
        with writing_in(log.data):
            return records, await memory.replace_with(shadow)
    except KoiError as error:
        raise KoiError(f"Memory was not built again, and the view as it was stays in use. {error}") from error
    finally:
        shadow.discard()


async def told_all(memory: Memory, log: "Log", report: "Callable[[SegmentError], object]") -> int:
    """Tell memory every record; return how many there are."""
    records = 0
    for batch in batches(records_of(log, report), BATCH):
        await memory.ingest(batch)
        records += len(batch)
    return records


def records_of(log: "Log", report: Callable[["SegmentError"], object]) -> Iterator[Record]:
    """Every record; those that were put away first, because memory finds the others by itself."""
    from openkoi_cli.archive import lines_of

    for segment in sorted(log.segments(), key=lambda segment: not segment.archived):
        yield from (line.record for line in lines_of(segment, report))


async def counts(memory: object) -> Mapping[str, str]:
    """What a memory counts; nothing of one that is not well."""
    try:
        told = await examined(memory)
    except KoiError:
        return {}
    return {word: value for word, value in told.items() if word not in CHANGING}


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Each count, and whether it is as before, where it is known how it was."""
    return [f"  {word}: {value}{', '.join(['', *beside(before.get(word), value)])}" for word, value in after.items()]


def beside(before: str | None, after: str) -> list[str]:
    """What is said of a count beside it."""
    if before is None:
        return []
    return ["as before" if before == after else f"before {before}"]


def number(text: str) -> int:
    """A count as it is said; what is none is nothing."""
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() else 0
