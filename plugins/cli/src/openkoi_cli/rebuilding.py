"""Build the view of memory again from the whole log. Knows one socket; knows no backend."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from openkoi_hookspecs import KoiError, Record
from openkoi_report import plural

from .remembered import examined

if TYPE_CHECKING:
    from openkoi.assembly import Assembly
    from openkoi_archive import Fault, Log

BATCH = 5_000
CHANGING = ("file", "size")


@runtime_checkable
class MakesWay(Protocol):
    """What a memory may be besides: one whose view can be moved aside, so that it is told everything again."""

    async def make_way(self) -> Path | None:
        """Move the view aside, whoever else uses it; return where it is, if there was one."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What to say of it, and whether there is less than before."""

    lines: list[str]
    fewer: bool


async def rebuilt(koi: "Assembly") -> Rebuilt:
    """Tell memory everything again; raises KoiError when there is none."""
    from openkoi_archive import Log

    memory = await koi.sockets.memory()
    if memory is None:
        raise KoiError(" ".join(["There is no memory to build again: choose one with [use] memory.", *koi.pending]))
    faults: list[Fault] = []
    before = await counts(memory)
    old = await memory.make_way() if isinstance(memory, MakesWay) else None
    records = told = 0
    for batch in batches(records_of(Log(koi.config.paths.data), faults.append)):
        await memory.absorb(batch)
        records, told = records + len(batch), told + 1
    after = await counts(memory)
    lines = [f"{plural(records, 'record')} of the log told to memory again.", *compared(before, after)]
    lines += [f"  ! {fault}, and was left out." for fault in faults]
    lines += [f"The view as it was is {old}: delete it when all is well."] if old else []
    return Rebuilt(lines, any(number(after.get(word, "0")) < number(value) for word, value in before.items()))


def records_of(log: "Log", report: Callable[["Fault"], object]) -> Iterator[Record]:
    """Every record; those that were put away first, because memory finds the others by itself."""
    from openkoi_archive import lines_of

    for segment in sorted(log.segments(), key=lambda segment: not segment.archived):
        yield from (line.record for line in lines_of(segment, report))


def batches(records: Iterator[Record]) -> Iterator[list[Record]]:
    """Lists of so many records, the last one shorter."""
    while batch := list(islice(records, BATCH)):
        yield batch


async def counts(memory: object) -> Mapping[str, str]:
    """What a memory counts; nothing of one that is not well."""
    try:
        told = await examined(memory)
    except KoiError:
        return {}
    return {word: value for word, value in told.items() if word not in CHANGING}


def compared(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Each count, and whether it is as before."""
    return [
        f"  {word}: {value}{', as before' if before.get(word) == value else f', before {before.get(word, 0)}'}"
        for word, value in after.items()
    ]


def number(text: str) -> int:
    """A count as it is said; what is none is nothing."""
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() else 0
