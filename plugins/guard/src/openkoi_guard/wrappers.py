"""Commands that run other commands: what they run is taken out of them, to be judged alone.

Knows how programs hand on words; knows no danger. The programs and their options stand in ``rules/wrappers.table``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from .patterns import RULES, lines_of, operands_of
from .words import Word

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
MOST_BEGINNINGS = 40


@dataclass(frozen=True, slots=True)
class Inner:
    """A command within a command: its words, or a text that a shell reads. ``guess``: it may be none."""

    words: tuple[Word, ...] = ()
    line: Word | None = None
    guess: bool = False


Taker = Callable[[Sequence[Word]], Iterator[Inner]]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program is asked to run another: how many operands come before it, and which options take a value."""

    subcommand: tuple[str, ...]
    skip: int
    taking: frozenset[str]
    joins: bool
    loose: bool


@cache
def wrappers() -> dict[str, tuple[Wrapper, ...]]:
    """Read the table, once."""
    table: dict[str, list[Wrapper]] = {}
    for line in lines_of(RULES / "wrappers.table"):
        programs, *fields = line.split()
        flags = {one for one in fields if one in {"joined", "loose"}}
        skip = next((int(one) for one in fields if one.isdigit()), 0)
        subcommand = next((tuple(one[1:].split("/")) for one in fields if one.startswith(">")), ())
        taking = frozenset(one for one in fields if one.startswith("-"))
        for program in programs.split(","):
            wrapper = Wrapper(subcommand, skip, taking, "joined" in flags, "loose" in flags)
            table.setdefault(program, []).append(wrapper)
    return {name: tuple(found) for name, found in table.items()}


def wrapped(name: str, words: Sequence[Word]) -> Iterator[Inner]:
    """Find the command that a program of the table runs."""
    for wrapper in wrappers().get(name, ()):
        given = after_subcommand(wrapper.subcommand, wrapper.taking, words)
        if given is not None:
            yield from inner_of(wrapper, given)
            return


def after_subcommand(subcommand: Sequence[str], taking: frozenset[str], words: Sequence[Word]) -> Sequence[Word] | None:
    """The words after ``docker compose exec`` and its like; None if it is another subcommand."""
    at = 0
    for wanted in subcommand:
        while at < len(words) and words[at].option and words[at].text != wanted:
            at += 2 if words[at].text in taking else 1
        if at >= len(words) or words[at].text not in wanted.split("|"):
            return None
        at += 1
    return words[at:]


def inner_of(wrapper: Wrapper, words: Sequence[Word]) -> Iterator[Inner]:
    rest = after_options(words, wrapper.taking, wrapper.skip)
    if wrapper.loose:
        yield from (Inner(tuple(words[at:]), guess=True) for at in begins(words))
        yield from (Inner(line=word, guess=True) for word in words if word.known and " " in word.text and not word.glob)
    elif wrapper.joins:
        yield from joined(rest)
    elif rest:
        yield Inner(tuple(rest))


def begins(words: Sequence[Word]) -> Iterator[int]:
    """Where in these words a command may begin."""
    return (at for at, word in enumerate(words[:MOST_BEGINNINGS]) if word.known and not word.option)


def after_options(words: Sequence[Word], taking: frozenset[str], skip: int) -> Sequence[Word]:
    """What is left after options, assignments and the operands that come first."""
    at = 0
    while at < len(words):
        word = words[at]
        if word.text == "--" and not skip:
            return words[at + 1 :]
        if word.option:
            at += 2 if word.text in taking else 1
        elif ASSIGNMENT.match(word.text):
            at += 1
        elif skip:
            skip, at = skip - 1, at + 1
        else:
            return words[at:]
    return ()


def joined(words: Sequence[Word]) -> Iterator[Inner]:
    """Words that a shell reads again, as one line."""
    if words:
        text = " ".join(word.text for word in words)
        yield Inner(line=Word(text, all(word.known for word in words)))


def lines_after(*options: str, ends: bool = False) -> Taker:
    """Commands that take a shell line as the value of an option."""

    def found(words: Sequence[Word]) -> Iterator[Inner]:
        for at, word in enumerate(words):
            name, given, value = word.text.partition("=")
            if (word.text in options or ends_in(word, options)) and at + 1 < len(words):
                yield Inner(line=words[at + 1])
            elif given and name in options:
                yield Inner(line=Word(value, word.known))
        if ends:
            yield from joined(operands_as_words(words))

    return found


def ends_in(word: Word, options: Sequence[str]) -> bool:
    """Whether the last of several letters is one of these options."""
    return word.option and word.text[1] != "-" and any(one == f"-{word.text[-1]}" for one in options)


def operands_as_words(words: Sequence[Word]) -> list[Word]:
    names = operands_of(words)
    return [word for word in words if word.text in names]
