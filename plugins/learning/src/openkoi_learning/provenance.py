"""Determine how far a text may be trusted from its sources."""

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from openkoi_base.redact import MASK
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .content import has_phrase, terms_of
from .entry import Trust
from .text_similarity import WORD, extract_details

# Words in a row that make a quotation, the fewest that make one, and the share of new words that is news (estimates).
QUOTED_WORDS, MIN_WORDS, NEW_SHARE = 5, 3, 0.25
MAX_CACHED_SOURCES = 256  # which may be whole files
WORKSPACE = "read_file list_files search edit_file write_file apply_patch run_command ask_user find_tool"
OWN_TOOLS = frozenset(WORKSPACE.split())
FETCHING = lazy_pattern(r"\b(?:curl|wget|https?://|ftp://|fetch|git\s+(?:clone|pull)|pip\s+download)\b|https?://")


@dataclass(frozen=True, slots=True)
class SourcesRead:
    """What was read in a run: output of the workspace's own tools, untrusted text, and recalled texts.

    ``earlier`` is untrusted text that earlier runs of the session had read, which the user may repeat. ``asked`` is
    the user's task, ``quoted`` what the user quoted in answers and messages, and ``evaluated`` how many texts of
    ``own`` had been read at each evaluation.
    """

    own: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    asked: str = ""
    quoted: tuple[str, ...] = ()
    evaluated: tuple[int, ...] = ()

    def read_before(self, iteration: int) -> tuple[str, ...]:
        """Return the texts that the evaluation before an iteration could repeat: all if that is not known."""
        known = self.evaluated[iteration - 1 : iteration] if iteration else ()
        return (*self.own[: known[0] if known else None], *self.quoted)


def is_own_output(tool: str, arguments: str) -> bool:
    """Return whether a call's result is the workspace's own, as far as can be determined."""
    return tool in OWN_TOOLS and not (tool == "run_command" and FETCHING.search(arguments))


def lowest_trust(text: str, read: SourcesRead, at_best: Trust, names: Iterable[str] = ()) -> Trust:
    """Return the lowest trust of a text's sources; the ``names`` of checks in it are not advice.

    Text that the user repeats from a page or a message is still that page's advice.
    """
    if at_best is Trust.PERSON:
        return Trust.PAGE if quotes_source(text, (*read.foreign, *read.earlier)) else at_best
    if read.foreign:
        return Trust.PAGE
    for name in filter(None, names):
        text = text.replace(name, "")
    return Trust.TOOL if quotes_source(text, (*read.own, *read.quoted)) else at_best


def repeats_memory(text: str, advice: str, read: SourcesRead, content: Collection[str] = ()) -> bool:
    """Return whether a text only repeats what memory had shown, including its advice and the content of it."""
    return any(
        quotes_source(text, (source,))
        and not adds_content(advice, source)
        and all(has_phrase(source.lower(), part) for part in content)
        for source in read.recalled
    )


def adds_content(text: str, source: str) -> bool:
    """Return whether a text adds something to its source: a number, a name, a negation, or many new words."""
    mine, theirs, words = extract_details(text), extract_details(source), terms_of(text)
    more = (mine.identifiers - theirs.identifiers) | (mine.numbers - theirs.numbers)
    return bool(more) or mine.denied > theirs.denied or len(words - terms_of(source)) > NEW_SHARE * len(words)


def quotes_source(text: str, sources: Iterable[str]) -> bool:
    """Return whether a run of words occurs in one of the sources; a shorter text must occur as a whole."""
    words = spaced_words(text).split()
    size = min(QUOTED_WORDS, len(words))
    runs = {f" {' '.join(words[at : at + size])} " for at in range(len(words) - size + 1)}
    return size >= MIN_WORDS and any(run in spaced for spaced in map(spaced_words, sources) for run in runs)


@lru_cache(maxsize=MAX_CACHED_SOURCES)
def spaced_words(text: str) -> str:
    """Return the words of a text in lower case, with a space on both sides of each."""
    return f" {' '.join(WORD.findall(text)).lower()} "


def is_storable(text: str, redact: Callable[[str], str]) -> bool:
    """Return whether a text may be stored: it contains no secret, not even a masked one."""
    return MASK not in text and redact(text) == text
