"""Where a task is done: the folder of a past one, with its model, or a copy that nothing comes back from."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import KoiError, Record, events
from openkoi_log import Past
from openkoi_settings import keys

EVERY_ROLE = keys.DEFAULT_MODEL.name
ROLES = {key.name for key in keys.MODEL_OF.values()}


def workplace_of(past: Past, records: Iterable[Record]) -> Path:
    """The folder that a past task worked in; raises KoiError when it is not there any more."""
    started = (one.event for one in records if one.run == past.run and isinstance(one.event, events.TaskStarted))
    folder = next((Path(event.workspace) for event in started if event.workspace), Path.cwd())
    if not folder.is_dir():
        raise KoiError(f"Task {past.run[:8]} worked in {folder}, which is not there any more.")
    return folder


def models_of(past: Past, records: Iterable[Record], said: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that let a past task's models work again, and over them those that are ``said`` now."""
    named: dict[str, object] = {}
    forked: dict[str, object] = {}
    for event in (record.event for record in records if record.run == past.run):
        if isinstance(event, events.TaskStarted):
            named = {**event.models, **({keys.EXECUTOR.name: past.model} if past.model else {})}
        elif isinstance(event, events.RunForked):
            forked = {key: value for key, value in event.changed.items() if key in {EVERY_ROLE, *ROLES}}
        elif isinstance(event, events.RunResumed) and event.models:
            named, forked = {**event.models}, {}
    return replaced(replaced(named, forked), said)


def replaced(models: Mapping[str, object], others: Mapping[str, object]) -> dict[str, object]:
    """Return models with others over them; one for every role leaves none of them."""
    return dict(others) if EVERY_ROLE in others else {**models, **others}


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
