"""Rebuild memory from the run log (``openkoi memory rebuild``)."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.counts import format_count
from openkoi_base.files import describe_write_error, private_folder
from openkoi_base.files.filelock import try_lock
from openkoi_hookspecs import Koi, KoiError, Memory, Record, SupportsReset, SupportsShadowRebuild
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.memory_sync import BATCH_SIZE, split_batches

from .memory_in_use import NO_MEMORY, load_memory
from .memory_search import read_health

if TYPE_CHECKING:
    from openkoi_cli.archive.lines import SegmentError
    from openkoi_cli.archive.segments import Log

VOLATILE = ("file", "size")
LOCK_POLL_SECONDS = 0.1  # short for a user, long for a processor
WAITING_FOR_OTHER = "Another process is rebuilding memory; waiting for it to finish."
CANNOT_WRITE = "Cannot rebuild memory: {place}: {why}, then try again."


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """The output, and whether memory has less than before."""

    lines: list[str]
    fewer: bool


async def rebuild_memory(koi: Koi, data: Path, say: Callable[[str], object]) -> RebuildResult:
    """Rebuild memory, after any other rebuild; raise KoiError if there is none."""
    from openkoi_cli.archive.segments import Log

    memory = await load_memory(koi)
    if memory is None:
        raise KoiError(" ".join([NO_MEMORY, *koi.warnings()]))
    log = Log(data)
    async with lock_rebuild(log.data, say):
        return await ingest_log(memory, log)


@contextmanager
def explain_write_errors(data: Path) -> Iterator[None]:
    """Raise KoiError with advice for an OSError in the block."""
    try:
        yield
    except OSError as error:
        raise KoiError(CANNOT_WRITE.format(place=error.filename or data, why=describe_write_error(error))) from error


@asynccontextmanager
async def lock_rebuild(data: Path, say: Callable[[str], object]) -> AsyncIterator[None]:
    """Wait until no other process rebuilds, and exclude others; waiting can be interrupted."""
    with explain_write_errors(data):
        file = os.open(private_folder(data) / ".rebuild.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(file):
            say(WAITING_FOR_OTHER)
            while not try_lock(file):  # noqa: ASYNC110  # a lock held by another process cannot be awaited
                await asyncio.sleep(LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(file)


async def ingest_log(memory: Memory, log: "Log") -> RebuildResult:
    """Let memory ingest the log into a shadow view if it supports that, else into a reset one."""
    errors: list[SegmentError] = []
    before = await read_counts(memory)
    if isinstance(memory, SupportsShadowRebuild):
        records, old = await rebuild_beside(memory, log, errors.append)
    else:
        with explain_write_errors(log.data):
            old = await memory.reset() if isinstance(memory, SupportsReset) else None
        records = await ingest_all(memory, log, errors.append)
    after = await read_counts(memory)
    lines = [f"{format_count(records, 'record')} read from the log.", *compare_counts(before, after)]
    lines += [f"  ! Skipped: {error}" for error in errors]
    lines += [f"The previous tables are kept in {old}. Delete them when you no longer need them."] if old else []
    return RebuildResult(
        lines, any(parse_count(after.get(word, "0")) < parse_count(value) for word, value in before.items())
    )


async def rebuild_beside(
    memory: SupportsShadowRebuild, log: "Log", report: "Callable[[SegmentError], object]"
) -> tuple[int, Path | None]:
    """Build a shadow view, which replaces the current one when complete; errors change nothing."""
    with explain_write_errors(log.data):
        shadow = memory.create_shadow()
    try:
        records = await ingest_all(shadow, log, report)
        with explain_write_errors(log.data):
            return records, await memory.replace_with(shadow)
    except KoiError as error:
        raise KoiError(f"Memory was not rebuilt; the previous tables stay in use. {error}") from error
    finally:
        shadow.discard()


async def ingest_all(memory: Memory, log: "Log", report: "Callable[[SegmentError], object]") -> int:
    """Let memory ingest every record; return their number."""
    records = 0
    for batch in split_batches(read_records(log, report), BATCH_SIZE):
        await memory.ingest(batch)
        records += len(batch)
    return records


def read_records(log: "Log", report: Callable[["SegmentError"], object]) -> Iterator[Record]:
    """Yield every record, archived ones first because memory finds the others itself."""
    from openkoi_cli.archive.lines import read_lines

    for segment in sorted(log.segments(), key=lambda segment: not segment.is_archived):
        yield from (line.record for line in read_lines(segment, report))


async def read_counts(memory: object) -> Mapping[str, str]:
    """Return a memory's counts; empty if it is not working."""
    try:
        health = await read_health(memory)
    except KoiError:
        return {}
    return {word: value for word, value in health.items() if word not in VOLATILE}


def compare_counts(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return each count, and whether it changed."""
    return [
        f"  {word}: {value}{', '.join(['', *compare_count(before.get(word), value)])}" for word, value in after.items()
    ]


def compare_count(before: str | None, after: str) -> list[str]:
    """Return a note about a count, if the earlier one is known."""
    if before is None:
        return []
    return ["unchanged" if before == after else f"before {before}"]


def parse_count(text: str) -> int:
    """Parse a formatted count; 0 if it is not a number."""
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() else 0
