"""What a check is given, and what it finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from openkoi_hookspecs import Ask, Deny

from .patterns import operands_of
from .redirects import Feed
from .words import Word


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its words, after all quoting and wrapping."""

    name: str
    words: tuple[Word, ...]
    feed: Feed | None = None
    operands: list[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Find the words that are no options, once."""
        object.__setattr__(self, "operands", operands_of(self.words))

    def has(self, *names: str) -> bool:
        """Whether one of these options is there; short ones may be clustered."""
        return any(
            word.text in names or any(len(one) == 2 and word.option and clustered(one, word) for one in names)
            for word in self.words
        )


def clustered(option: str, word: Word) -> bool:
    return word.text[1] != "-" and option[1] in word.text


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a person should see a command."""

    why: str
    category: str
    verdict: type[Ask] | type[Deny] = Ask


@dataclass(frozen=True, slots=True)
class Concern:
    """Why a person should see a line: which command of it, and what that does.

    ``deletes``: what a build makes again, or what is temporary, when the command does nothing but delete such.
    """

    verdict: type[Ask] | type[Deny]
    command: str
    why: str
    category: str = ""
    deletes: tuple[str, ...] = ()


Check = Callable[[Command], Iterator[Finding]]
