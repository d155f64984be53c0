"""Define the input of a check, and the issue that it reports."""

from collections.abc import Callable, Iterator
from dataclasses import field

from openkoi_hookspecs import Ask, Deny
from openkoi_hookspecs.lazy_dataclass import dataclass

from .command_rules import list_operands
from .redirects import StdinSource
from .shell_words import Word


@dataclass(frozen=True, slots=True)
class Invocation:
    """A program and its arguments, without quotes and wrappers."""

    name: str
    words: tuple[Word, ...]
    stdin: StdinSource | None = None
    operands: list[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Find the operands once."""
        object.__setattr__(self, "operands", list_operands(self.words))

    def has(self, *names: str) -> bool:
        """Return whether one of these options occurs; short ones may be clustered."""
        return any(
            word.text in names or any(len(one) == 2 and word.is_option and is_clustered(one, word) for one in names)
            for word in self.words
        )


def is_clustered(option: str, word: Word) -> bool:
    return word.text[1] != "-" and option[1] in word.text


@dataclass(frozen=True, slots=True)
class Danger:
    """Why a command needs confirmation."""

    why: str
    category: str
    verdict: type[Ask] | type[Deny] = Ask


@dataclass(frozen=True, slots=True)
class Issue:
    """Why a line needs confirmation: which command of it, and what that does.

    ``deletes``: generated or temporary paths, when the command only deletes such.
    """

    verdict: type[Ask] | type[Deny]
    command: str
    why: str
    category: str = ""
    deletes: tuple[str, ...] = ()


Check = Callable[[Invocation], Iterator[Danger]]
