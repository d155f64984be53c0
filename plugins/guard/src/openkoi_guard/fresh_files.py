"""The files that a command of a line makes, with their text where the line says it."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from .finding import Command
from .network import fetched
from .spoken import spoken_feed
from .uploads import is_local

FETCHING = frozenset({"curl", "wget", "aria2c"})
UNPACKING = frozenset({"tar", "unzip", "bsdtar"})


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
    clones = [one for one in before if one.name == "git" and one.operands[:1] == ["clone"]]
    fetched = any(one.name in FETCHING for one in before) and any(one.name in UNPACKING for one in before)
    if path.startswith("/") or not (folders or path.split("/")[1:2]):
        return False
    cloned = {posixpath.basename(word).removesuffix(".git") for one in clones for word in one.operands[1:]}
    return fetched or not cloned.isdisjoint((*folders, *path.split("/")))
