"""Read and write private files (mode 0600) and folders (0700) atomically, and fix permissions that are too wide."""

import os
import stat
from pathlib import Path

from openkoi_hookspecs import ArgumentError

OTHER_USERS_MODE = 0o077
MAX_BYTES = 1_000_000


def private_folder(path: Path) -> Path:
    """Make a folder that only its user can read, including any missing parents."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def private_subfolder(folder: Path, name: str) -> Path:
    """Create a private folder in another one; raise ArgumentError if its name leads elsewhere."""
    path = folder / name
    if folder.resolve() not in path.resolve().parents:
        raise ArgumentError(f"{name!r} is not a valid folder name in {folder}. Choose another name.")
    return private_folder(path)


def replace_file(path: Path, content: str | bytes) -> Path:
    """Replace a file, or the target of a link, atomically and durably."""
    path = path.resolve()
    private_folder(path.parent)
    write_atomically(path, content.encode() if isinstance(content, str) else content, sync=True)
    return path


def write_atomically(
    path: Path, data: bytes, *, mode: int = 0o600, temporary: str = ".new-", sync: bool = False
) -> None:
    """Write a temporary file, then rename it: readers see either the whole new content or the previous one."""
    from secrets import token_hex

    beside = path.with_name(f"{temporary}{token_hex(6)}")
    try:
        write_new_file(beside, data, mode, sync)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_new_file(path: Path, data: bytes, mode: int, sync: bool) -> None:
    """Write a file that must not exist yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    if mode != 0o600:
        path.chmod(mode)


def sync_folder(folder: Path) -> None:
    """Make a new file's name durable, if folders can be synced."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_small_text(path: Path) -> str:
    """Return a small file's text; raise ValueError if it is not a regular file, too long, or not text."""
    if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path} is not a regular file, or is larger than 1 MB")
    return path.read_bytes().decode()


def restrict_permissions(folder: Path) -> list[str]:
    """Remove other users' permissions for a folder of secrets and its files; return what they could access."""
    if os.name != "posix" or not folder.is_dir():
        return []
    own = [path for path in (folder, *folder.iterdir()) if not path.is_symlink()]
    open_to_all = [path for path in own if path.lstat().st_mode & OTHER_USERS_MODE]
    for path in open_to_all:
        path.chmod(path.lstat().st_mode & ~OTHER_USERS_MODE & 0o777)
    return [f"{path} was readable by other users; its permissions were fixed." for path in open_to_all]
