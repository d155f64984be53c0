"""Read, list and write the files that a plugin was granted, wherever links lead and whatever changes meanwhile.

A path is resolved, and checked against the grants. Then it is opened folder by folder without following any link: what
was made a link between the check and the opening is refused.
"""

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from openkoi_base.grants import Capabilities, PathGrant
from openkoi_base.schema.autorun import protected_globs
from openkoi_base.schema.protected_paths import first_protected
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_BYTES = 1 << 20  # of one file, as of an answer
MAX_ENTRIES = 10_000  # of a folder (estimate)
MAX_PATH = 4_096  # PATH_MAX of Linux
MAX_DEPTH = 100  # folders in each other that are created; many programs walk through them by recursion (estimate)
IS_SUPPORTED = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
RUN_BY_OTHERS = frozenset({".git", ".hg", ".openkoi", ".envrc", ".vscode", ".idea", ".github"})
NOT_GRANTED = "{path!r} may not be {verb}. [capabilities] filesystem grants only {granted}."


@dataclass(frozen=True, slots=True)
class GrantedFiles:
    """The files of one plugin. ``root`` is the workspace; paths are relative to it."""

    granted: Capabilities
    root: Path

    def read(self, text: str) -> bytes:
        """Return a file's content; raise KoiError if reading it is not granted or fails."""
        path = self.resolve(text, "read")
        with named_errors(text), opened_folder(path.parent) as folder:
            handle = os.open(path.name, FILE_FLAGS, dir_fd=folder)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise KoiError(f"{text!r} is not a regular file.")
                data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise KoiError(f"{text!r} is larger than {MAX_BYTES:,} bytes.")
        return data

    def list(self, text: str) -> list[str]:
        """Return the names in a folder that are granted; those of folders end with a slash."""
        path = self.resolve_path(text)
        grants = [one for one in self.granted.filesystem if one.may_read]
        if not any(path.is_relative_to(one.folder(self.root)) for one in grants):
            raise self.refusal(text, "listed")
        with named_errors(text), opened_folder(path) as folder, os.scandir(folder) as entries:
            found = [*first(entries, MAX_ENTRIES)]
        names = [f"{one.name}/" if one.is_dir(follow_symlinks=False) else one.name for one in found]
        return sorted(one for one in names if self.covers(grants, path / one.rstrip("/")))

    def write(self, text: str, data: bytes) -> None:
        """Replace a file, or create it with its folders; raise KoiError if writing it is not granted or fails."""
        path = self.resolve(text, "written")
        if RUN_BY_OTHERS & {*map(str.casefold, path.parts)} or first_protected(
            [str(path)], protected_globs(), self.root
        ):
            raise KoiError(f"{text!r} may not be written, because other programs could run its content.")
        if len(path.parts) > MAX_DEPTH:
            raise KoiError(f"{text[:200]!r} is nested more than {MAX_DEPTH} folders deep.")
        with named_errors(text), opened_folder(path.parent, create=True) as folder:
            replace_at(folder, path.name, data)

    def resolve(self, text: str, verb: str) -> Path:
        """Return where a path leads; raise KoiError if that is not granted."""
        path = self.resolve_path(text)
        grants = [one for one in self.granted.filesystem if (one.may_write if verb == "written" else one.may_read)]
        if not self.covers(grants, path):
            raise self.refusal(text, verb)
        return path

    def resolve_path(self, text: str) -> Path:
        """Return a path without links, even if a part of it does not exist; raise KoiError for an invalid path."""
        try:
            if not IS_SUPPORTED:
                raise KoiError("WASM plugins cannot use files on this system.")
            if not 0 < len(os.fsencode(text)) <= MAX_PATH or "\0" in text:
                raise ValueError
            return Path(os.path.realpath(self.root / Path(text).expanduser()))
        except (OSError, ValueError, RuntimeError):
            raise KoiError(f"{text[:200]!r} is not a path.") from None

    def covers(self, grants: Sequence[PathGrant], path: Path) -> bool:
        return any(one.covers_resolved(path, self.root) for one in grants)

    def refusal(self, text: str, verb: str) -> KoiError:
        """Return the error for a path that is not granted; it does not reveal where links lead."""
        granted = ", ".join(one.pattern for one in self.granted.filesystem)
        return KoiError(NOT_GRANTED.format(path=text[:200], verb=verb, granted=granted))


@contextmanager
def opened_folder(path: Path, *, create: bool = False) -> Iterator[int]:
    """Open a folder of a path without links, one folder after the other; ``create`` makes those that are missing."""
    handle = os.open(path.anchor, FOLDER_FLAGS)
    try:
        for name in path.parts[1:]:
            inner = open_below(handle, name, create=create)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def open_below(folder: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, FOLDER_FLAGS, dir_fd=folder)


def replace_at(folder: int, name: str, data: bytes) -> None:
    """Write a file in an open folder, whose path may change meanwhile; replace a link there instead of following it."""
    fresh = f".koi-{secrets.token_hex(6)}"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(fresh, dir_fd=folder)
        raise


@contextmanager
def named_errors(text: str) -> Iterator[None]:
    """Convert errors of the system to a KoiError that names the path as the plugin does."""
    try:
        yield
    except OSError as error:
        raise KoiError(f"{text[:200]!r}: {error.strerror}.") from None


def first(entries: "Iterator[os.DirEntry[str]]", most: int) -> "Iterator[os.DirEntry[str]]":
    """Yield the entries; raise KoiError if there are too many."""
    for count, one in enumerate(entries):
        if count >= most:
            raise KoiError(f"The folder has more than {most:,} entries.")
        yield one
