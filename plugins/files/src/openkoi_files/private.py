"""Files and folders that only their user can read, and that nobody sees half of. Knows modes; knows no contents."""

import os
import stat
from pathlib import Path

OTHERS = 0o077
LONGEST = 1_000_000


def private_folder(path: Path) -> Path:
    """Make a folder that only its user can read; so are those above it that have to be made."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def replace_file(path: Path, content: str | bytes) -> Path:
    """Put a whole file in the place of another; through a link, in the place of what it leads to."""
    path = path.resolve()
    private_folder(path.parent)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return path


def sync_folder(folder: Path) -> None:
    """Make a new file's name durable, where folders can be synced."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """A small file's text; raises ValueError for one that is no regular file, is too long, or is no text."""
    if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > LONGEST:
        raise ValueError(f"{path} is no regular file, or longer than 1 MB")
    return path.read_bytes().decode()


def tightened(folder: Path) -> list[str]:
    """Take from others what they may do with a folder of secrets and its files; say what was open to them."""
    if os.name != "posix" or not folder.is_dir():
        return []
    own = [path for path in (folder, *folder.iterdir()) if not path.is_symlink()]
    open_to_all = [path for path in own if path.lstat().st_mode & OTHERS]
    for path in open_to_all:
        path.chmod(path.lstat().st_mode & ~OTHERS & 0o777)
    return [f"{path} could be read by others; that is mended now." for path in open_to_all]
