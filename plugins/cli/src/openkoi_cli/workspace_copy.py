"""Copy a folder for a dry run (``--dry-run``)."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import KoiError
from openkoi_runlog import DRY_RUN_PREFIX


@contextmanager
def copy_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary copy of a folder; raise KoiError if it cannot be copied."""
    with TemporaryDirectory(prefix=DRY_RUN_PREFIX, ignore_cleanup_errors=True) as private:
        copy = Path(private) / (folder.name or "workspace")
        try:
            shutil.copytree(folder, copy, symlinks=True, ignore=list_special)
        except (OSError, shutil.Error) as error:
            raise KoiError(f"Cannot copy {folder} for a dry run: {first_reason(error)}") from None
        yield copy


def list_special(folder: str, names: list[str]) -> list[str]:
    """Return the names of pipes, sockets and devices."""
    return [name for name in names if not is_ordinary(Path(folder) / name)]


def is_ordinary(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or path.is_dir()


def first_reason(error: OSError) -> str:
    """Return the first error message."""
    errors = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return str(errors[0][2]) if errors else str(error)
