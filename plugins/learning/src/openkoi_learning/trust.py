"""Determine how far a text may be trusted from its sources."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from openkoi_base.redact import MASK

from .entry import Trust
from .words import WORD, details, terms

RUN, MIN_WORDS, NEW = 5, 3, 0.25
WORKSPACE = "read_file list_files search edit_file write_file apply_patch run_command ask_user find_tool"
OWN_TOOLS = frozenset(WORKSPACE.split())
FETCHING = re.compile(r"\b(?:curl|wget|https?://|ftp://|fetch|git\s+(?:clone|pull)|pip\s+download)\b|https?://")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read in a run: text of the workspace's own tools, of pages and strangers, and what was recalled."""

    own: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()


def own(tool: str, arguments: str) -> bool:
    """Return whether a call's result is the workspace's own, as far as can be determined."""
    return tool in OWN_TOOLS and not (tool == "run_command" and FETCHING.search(arguments))


def lineage(text: str, read: Read, at_best: Trust, names: Iterable[str] = ()) -> Trust:
    """The least trust of everything that a text was made of; the ``names`` of checks in it are not advice.

    What a person repeats of a page or a message is still that page's advice.
    """
    if at_best is Trust.PERSON:
        return Trust.PAGE if quotes(text, read.foreign) else at_best
    if read.foreign:
        return Trust.PAGE
    for name in filter(None, names):
        text = text.replace(name, "")
    return Trust.TOOL if quotes(text, read.own) else at_best


def repeats_memory(text: str, advice: str, read: Read) -> bool:
    """Return whether a text only repeats what memory had shown, including its advice."""
    return any(quotes(text, (source,)) and not adds(advice, source) for source in read.recalled)


def adds(text: str, source: str) -> bool:
    """Whether a text says something that its source does not: another number or name, a denial, or many new words."""
    mine, theirs, words = details(text), details(source), terms(text)
    more = (mine.identifiers - theirs.identifiers) | (mine.numbers - theirs.numbers)
    return bool(more) or mine.denied > theirs.denied or len(words - terms(source)) > NEW * len(words)


def quotes(text: str, sources: Iterable[str]) -> bool:
    """Whether so many words in a row stand in one of the sources; a shorter text must stand there as a whole."""
    size = min(RUN, len(WORD.findall(text)))
    return size >= MIN_WORDS and any(pieces(text, size) & pieces(source, size) for source in sources)


@lru_cache(maxsize=16_384)
def pieces(source: str, size: int) -> frozenset[tuple[str, ...]]:
    """All that stands in a text of so many words in a row."""
    words = [word.lower() for word in WORD.findall(source)]
    return frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1))


def sayable(text: str, redact: Callable[[str], str]) -> bool:
    """Whether a text may be written down: nothing in it is a secret, or was one."""
    return MASK not in text and redact(text) == text
