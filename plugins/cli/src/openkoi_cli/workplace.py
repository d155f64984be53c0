"""A copy of a folder, for a dry run: nothing comes back from it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import KoiError


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
