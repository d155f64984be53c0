"""Change several files, all of them or none: what was done is put back when something goes wrong half-way."""

import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import ToolError

from .files import save
from .paths import Place, refusal


@dataclass(frozen=True, slots=True)
class Step:
    """Bytes to put in a place, or None to have no file there. A mode, and whether it is a program, where it matters."""

    where: Place
    data: bytes | None
    mode: int | None = None
    executable: bool | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """A place as it was, with the folders above it that were not there."""

    step: Step
    missing: tuple[Path, ...]


def put(steps: Sequence[Step]) -> None:
    """Take all steps; raises ToolError after none was taken, or all were taken back."""
    done: list[Before] = []
    try:
        for step in steps:
            done.append(as_it_is(step.where))
            take(step)
    except OSError as error:
        raise ToolError(f"{refusal(step.where.name, error)} {ending(put_back(done))}") from None
    except ToolError as fault:
        raise ToolError(f"{fault} {ending(put_back(done))}") from None
    except BaseException:
        put_back(done)
        raise


def take(step: Step) -> None:
    """Take one step."""
    path = step.where.real
    if step.data is None:
        if path.exists():
            path.unlink()
        return
    save(path, step.data)
    if step.mode is not None:
        path.chmod(step.mode)
    if step.executable is not None:
        path.chmod(with_program_bits(stat.S_IMODE(path.stat().st_mode), step.executable))


def with_program_bits(mode: int, executable: bool) -> int:
    """Return a mode by which whoever may read the file may run it, or nobody."""
    return mode | (mode & 0o444) >> 2 if executable else mode & ~0o111


def as_it_is(where: Place) -> Before:
    """Keep what is in a place."""
    path = where.real
    missing = tuple(folder for folder in path.parents if not folder.exists())
    if not path.exists():
        return Before(Step(where, None), missing)
    return Before(Step(where, path.read_bytes(), stat.S_IMODE(path.stat().st_mode)), missing)


def put_back(done: Sequence[Before]) -> list[str]:
    """Bring everything back, the last first; return the names of what could not be brought back."""
    lost = []
    for before in reversed(done):
        try:
            take(before.step)
        except (OSError, ToolError):
            lost.append(before.step.where.name)
        for folder in before.missing:
            with suppress(OSError):
                folder.rmdir()
    return lost


def ending(lost: Sequence[str]) -> str:
    """Say how things stand after a failure."""
    if lost:
        return f"Not everything could be put back: look at {', '.join(lost)}. All other files are as they were."
    return "All files are as they were."
