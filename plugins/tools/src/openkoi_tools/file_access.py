"""Whole files: read with a clear word about what cannot be read, saved so that nobody ever sees half of one."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from openkoi_hookspecs import ToolError

from .fit import size
from .hints import hint
from .paths import Place
from .toolkit import Settings

LOOK = " Use list_files or search to find it."


def load(where: Place, settings: Settings) -> bytes:
    """Return a file's bytes; raises ToolError for a folder, a device, what is missing and what is too large."""
    facts = existing(where, settings)
    if facts.st_size > settings.file_bytes:
        raise ToolError(
            f"{where.name} is too large to open here: {size(facts.st_size)}, and at most {size(settings.file_bytes)} "
            "are read. Use search, or run_command with sed or head, to see a part of it."
        )
    return where.real.read_bytes()


def existing(where: Place, settings: Settings) -> os.stat_result:
    """Return the facts of a file that must exist."""
    try:
        facts = where.real.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise ToolError(f"There is no file {where.name}.{hint(where, settings.skip) or LOOK}") from None
    refuse_other(where, facts.st_mode)
    return facts


def refuse_other(where: Place, mode: int) -> None:
    """Raise for what exists and is no ordinary file."""
    if stat.S_ISDIR(mode):
        raise ToolError(f"{where.name} is a folder, not a file. Use list_files.")
    if not stat.S_ISREG(mode):
        raise ToolError(f"{where.name} is a device, a pipe or a socket, not a file.")


def save(path: Path, data: bytes) -> None:
    """Put a file in place in one step, with the mode and the owner of the one it replaces."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat() if path.exists() else None
    refuse_read_only(path)
    draft = path.with_name(f".koi-{token_hex(8)}.tmp")
    try:
        write_through(draft, data)
        if before:
            inherit(draft, before)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def refuse_read_only(path: Path) -> None:
    """Raise for a file that exists and is not meant to be written."""
    if path.exists() and not os.access(path, os.W_OK):
        raise ToolError(f"{path.name} is read-only. Change its mode with run_command if it is meant to be written.")


def write_through(path: Path, data: bytes) -> None:
    """Write a new file and wait until it is on the disk."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def inherit(path: Path, before: os.stat_result) -> None:
    """Give a file the owner and the mode of another, the owner where the system lets us."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(stat.S_IMODE(before.st_mode))
