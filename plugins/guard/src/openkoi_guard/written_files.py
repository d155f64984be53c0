"""List the files that a command of a line creates, with their text if the line contains it."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from .files import list_option_values
from .issue import Invocation
from .network import list_fetched_files
from .static_output import predict_stdin
from .uploads import is_local_address

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


def list_written_files(command: Invocation, known: Mapping[str, str | None]) -> Iterator[tuple[str, str | None]]:
    """Yield paths with their text: downloads, the output of ``tee``, and the targets of moved ``known`` files."""
    yield from ((posixpath.normpath(path), None) for path in list_fetched_files(command))
    if command.name == "tee":
        text = predict_stdin(command.stdin)
        yield from ((posixpath.normpath(path), text) for path in command.operands)
    if command.name in {"cp", "mv", "ln"} and len(command.operands) == 2:
        old, new = map(posixpath.normpath, command.operands)
        if old in known:
            yield new, known[old]


def is_unpacked(path: str, ran: Sequence[Invocation], folders: Sequence[str]) -> bool:
    """Return whether a line has downloaded a script together with the folder around it: an archive or a repository."""
    before = [one for one in ran if not is_local_address(one)]
    cloned = [folder for one in before for folder in list_clone_folders(one)]
    fetched = any(one.name in FETCHING for one in before) and any(one.name in UNPACKING for one in before)
    filled = [*cloned, *(folder for one in before if fetched for folder in list_unpack_folders(one))]
    if path.startswith(("/", "~")):
        return any(PurePosixPath(path).is_relative_to(folder) for folder in filled)
    if not (folders or path.split("/")[1:2]):
        return False
    names = {posixpath.basename(folder) for folder in cloned}
    return fetched or not names.isdisjoint((*folders, *path.split("/"))) or not set(filled).isdisjoint(folders)


def list_clone_folders(command: Invocation) -> Iterator[str]:
    """Yield the folder that a repository is cloned into."""
    subcommand = CLONING.get(command.name, ())
    if subcommand and tuple(command.operands[: len(subcommand)]) == subcommand:
        address, *folder = command.operands[len(subcommand) :] or [""]
        yield folder[0].rstrip("/") if folder else posixpath.basename(address).removesuffix(".git")


def list_unpack_folders(command: Invocation) -> Iterator[str]:
    """Yield the folder that an archive is unpacked into, if an option names it."""
    if command.name in UNPACKING:
        yield from (word.text.rstrip("/") for word in list_option_values(command.words, UNPACK_OPTIONS))
