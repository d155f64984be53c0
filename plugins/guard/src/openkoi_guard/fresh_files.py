"""The files that a command of a line makes, with their text where the line says it."""

import posixpath
from collections.abc import Iterator, Mapping

from .finding import Command
from .network import fetched
from .spoken import spoken_feed


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
