"""Read and save whole files: reading explains what cannot be read, saving is atomic."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from openkoi_hookspecs import ToolError

from .name_hints import suggest_name
from .symlink_safe_paths import WorkspacePath
from .tool_context import ToolSettings
from .truncate import format_size

FIND_HINT = " Use list_files or search to find it."


def load_file(where: WorkspacePath, settings: ToolSettings) -> bytes:
    """Return a file's bytes; raise ToolError for a folder, a device, a missing or a too large file."""
    facts = stat_existing(where, settings)
    if facts.st_size > settings.file_bytes:
        raise ToolError(
            f"{where.name} is too large to open here: {format_size(facts.st_size)}; the limit is "
            f"{format_size(settings.file_bytes)}. "
            "Use search, or run_command with sed or head, to see a part of it."
        )
    return where.real.read_bytes()


def stat_existing(where: WorkspacePath, settings: ToolSettings) -> os.stat_result:
    """Return the status of a file that must exist."""
    try:
        facts = where.real.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise ToolError(f"File not found: {where.name}.{suggest_name(where, settings.skip) or FIND_HINT}") from None
    refuse_special(where, facts.st_mode)
    return facts


def refuse_special(where: WorkspacePath, mode: int) -> None:
    """Raise ToolError for a path that exists and is not a regular file."""
    if stat.S_ISDIR(mode):
        raise ToolError(f"{where.name} is a folder, not a file. Use list_files.")
    if not stat.S_ISREG(mode):
        raise ToolError(f"{where.name} is a device, a pipe or a socket, not a file.")


def save_file(path: Path, data: bytes) -> None:
    """Save a file atomically, with the owner and mode of the previous one, which ``write_atomically`` would lose."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat() if path.exists() else None
    refuse_read_only(path)
    draft = path.with_name(f".koi-{token_hex(8)}.tmp")
    try:
        write_durably(draft, data)
        if before:
            copy_ownership(draft, before)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def refuse_read_only(path: Path) -> None:
    """Raise ToolError for an existing file that is read-only."""
    if path.exists() and not os.access(path, os.W_OK):
        raise ToolError(f"{path.name} is read-only. Change its mode with run_command if it is meant to be written.")


def write_durably(path: Path, data: bytes) -> None:
    """Write a new file and wait until it is on the disk."""
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def copy_ownership(path: Path, before: os.stat_result) -> None:
    """Give a file the mode of another one and, if the system permits it, the owner."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(stat.S_IMODE(before.st_mode))
