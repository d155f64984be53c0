"""The files that a command of a line makes, with their text where the line says it."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from .files import valued
from .finding import Command
from .network import fetched
from .spoken import spoken_feed
from .uploads import is_local

FETCHING = frozenset({"curl", "wget", "aria2c"})
UNPACKING = frozenset({"tar", "unzip", "bsdtar", "7z", "unar"})
UNPACK_OPTIONS = ("-C", "--directory", "-d", "-o")
CLONING: Mapping[str, tuple[str, ...]] = {
    "git": ("clone",),
    "hg": ("clone",),
    "svn": ("checkout",),
    "gh": ("repo", "clone"),
    "glab": ("repo", "clone"),
}


def fresh_files(command: Command, known: Mapping[str, str | None]) -> Iterator[tuple[str, str | None]]:
    """Return paths with their text: what is fetched, what ``tee`` writes, and where a ``known`` file is moved to."""
    yield from ((posixpath.normpath(path), None) for path in fetched(command))
    if command.name == "tee":
        text = spoken_feed(command.feed)
        yield from ((posixpath.normpath(path), text) for path in command.operands)
    if command.name in {"cp", "mv", "ln"} and len(command.operands) == 2:
        old, new = map(posixpath.normpath, command.operands)
        if old in known:
            yield new, known[old]


def is_unpacked(path: str, ran: Sequence[Command], folders: Sequence[str]) -> bool:
    """Return whether a line has fetched a script together with a folder around it: an archive, or a repository."""
    before = [one for one in ran if not is_local(one)]
    cloned = [folder for one in before for folder in clone_folders(one)]
    fetched = any(one.name in FETCHING for one in before) and any(one.name in UNPACKING for one in before)
    filled = [*cloned, *(folder for one in before if fetched for folder in unpack_folders(one))]
    if path.startswith(("/", "~")):
        return any(PurePosixPath(path).is_relative_to(folder) for folder in filled)
    if not (folders or path.split("/")[1:2]):
        return False
    names = {posixpath.basename(folder) for folder in cloned}
    return fetched or not names.isdisjoint((*folders, *path.split("/"))) or not set(filled).isdisjoint(folders)


def clone_folders(command: Command) -> Iterator[str]:
    """Yield the folder that a repository is cloned into."""
    subcommand = CLONING.get(command.name, ())
    if subcommand and tuple(command.operands[: len(subcommand)]) == subcommand:
        address, *folder = command.operands[len(subcommand) :] or [""]
        yield folder[0].rstrip("/") if folder else posixpath.basename(address).removesuffix(".git")


def unpack_folders(command: Command) -> Iterator[str]:
    """Yield the folder that an archive is unpacked into, as far as an option names it."""
    if command.name in UNPACKING:
        yield from (word.text.rstrip("/") for word in valued(command.words, UNPACK_OPTIONS))
