"""Where a task is done: the folder of a past one, with its model, or a copy that nothing comes back from."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, Record, events
from openkoi_log import Past

if TYPE_CHECKING:
    from openkoi.assembly import Assembly


def workplace_of(past: Past, records: Iterable[Record]) -> Path:
    """The folder that a past task worked in; raises KoiError when it is not there any more."""
    started = (one.event for one in records if one.run == past.run and isinstance(one.event, events.TaskStarted))
    folder = next((Path(event.workspace) for event in started if event.workspace), Path.cwd())
    if not folder.is_dir():
        raise KoiError(f"Task {past.run[:8]} worked in {folder}, which is not there any more.")
    return folder


def model_of(past: Past, koi: "Assembly") -> dict[str, object]:
    """The setting that lets a past task's model work again."""
    return {"models.executor": past.model} if past.model else {}


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """A private copy of a folder, which is gone afterwards; raises KoiError when it cannot be made."""
    with TemporaryDirectory(prefix="openkoi-dry-run-", ignore_cleanup_errors=True) as private:
        copy = Path(private) / (folder.name or "workspace")
        try:
            shutil.copytree(folder, copy, symlinks=True, ignore=special)
        except (OSError, shutil.Error) as error:
            raise KoiError(f"{folder} cannot be copied for a dry run: {first_of(error)}") from None
        yield copy


def special(folder: str, names: list[str]) -> list[str]:
    """What is neither a file, a folder nor a link: pipes, sockets, devices."""
    return [name for name in names if not ordinary(Path(folder) / name)]


def ordinary(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or path.is_dir()


def first_of(error: OSError) -> str:
    """What went wrong, the first of it."""
    faults = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return str(faults[0][2]) if faults else str(error)
