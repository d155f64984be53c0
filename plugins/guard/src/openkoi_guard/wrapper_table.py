"""Find the commands that other commands run, by ``rules/wrappers.table``."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import RULES, list_operands, read_table
from .limits import MAX_COMMAND_STARTS
from .shell_words import Word

ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*\+?=")


@dataclass(frozen=True, slots=True)
class InnerCommand:
    """A command within a command: its words, or a shell line. ``guess``: it may not be a command."""

    words: tuple[Word, ...] = ()
    line: Word | None = None
    guess: bool = False


Unwrapper = Callable[[Sequence[Word]], Iterator[InnerCommand]]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program runs another: how many operands come before it, and which options take a value."""

    subcommand: tuple[str, ...]
    skip: int
    value_options: frozenset[str]
    joins_words: bool
    starts_anywhere: bool


@cache
def load_wrappers() -> dict[str, tuple[Wrapper, ...]]:
    """Read the table."""
    table: dict[str, list[Wrapper]] = {}
    for line in read_table(RULES / "wrappers.table"):
        programs, *fields = line.split()
        flags = {one for one in fields if one in {"joined", "loose"}}
        skip = next((int(one) for one in fields if one.isdigit()), 0)
        subcommand = next((tuple(one[1:].split("/")) for one in fields if one.startswith(">")), ())
        taking = frozenset(one for one in fields if one.startswith("-"))
        for program in programs.split(","):
            wrapper = Wrapper(subcommand, skip, taking, "joined" in flags, "loose" in flags)
            table.setdefault(program, []).append(wrapper)
    return {name: tuple(found) for name, found in table.items()}


def unwrap_by_table(name: str, words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield the command that a program of the table runs."""
    for wrapper in load_wrappers().get(name, ()):
        given = skip_subcommand(wrapper.subcommand, wrapper.value_options, words)
        if given is not None:
            yield from find_inner(wrapper, given)
            return


def skip_subcommand(subcommand: Sequence[str], taking: frozenset[str], words: Sequence[Word]) -> Sequence[Word] | None:
    """Return the words after ``docker compose exec`` or a similar command; None for another subcommand."""
    at = 0
    for expected in subcommand:
        while at < len(words) and words[at].is_option and words[at].text != expected:
            at += 2 if words[at].text in taking else 1
        if at >= len(words) or words[at].text not in expected.split("|"):
            return None
        at += 1
    return words[at:]


def find_inner(wrapper: Wrapper, words: Sequence[Word]) -> Iterator[InnerCommand]:
    rest = skip_options(words, wrapper.value_options, wrapper.skip)
    if wrapper.starts_anywhere:
        yield from (InnerCommand(tuple(words[at:]), guess=True) for at in list_command_starts(words))
        yield from (
            InnerCommand(line=word, guess=True)
            for word in words
            if word.is_known and " " in word.text and not word.has_wildcards
        )
    elif wrapper.joins_words:
        yield from join_as_line(rest)
    elif rest:
        yield InnerCommand(tuple(rest))


def list_command_starts(words: Sequence[Word]) -> Iterator[int]:
    """Yield where in these words a command may begin."""
    return (at for at, word in enumerate(words[:MAX_COMMAND_STARTS]) if word.is_known and not word.is_option)


def skip_options(words: Sequence[Word], taking: frozenset[str], skip: int) -> Sequence[Word]:
    """Return the words after options, assignments and leading operands."""
    at = 0
    while at < len(words):
        word = words[at]
        if word.text == "--" and not skip:
            return words[at + 1 :]
        if word.is_option:
            at += 2 if word.text in taking else 1
        elif ASSIGNMENT.match(word.text):
            at += 1
        elif skip:
            skip, at = skip - 1, at + 1
        else:
            return words[at:]
    return ()


def join_as_line(words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield words joined to a line, which a shell parses again."""
    if words:
        text = " ".join(word.text for word in words)
        yield InnerCommand(line=Word(text, all(word.is_known for word in words)))


def unwrap_options(*options: str, ends: bool = False) -> Unwrapper:
    """Return an unwrapper for commands that take a shell line as an option's value."""

    def unwrap_values(words: Sequence[Word]) -> Iterator[InnerCommand]:
        for at, word in enumerate(words):
            name, given, value = word.text.partition("=")
            if (word.text in options or ends_in_option(word, options)) and at + 1 < len(words):
                yield InnerCommand(line=words[at + 1])
            elif given and name in options:
                yield InnerCommand(line=Word(value, word.is_known))
        if ends:
            yield from join_as_line(list_operand_words(words))

    return unwrap_values


def ends_in_option(word: Word, options: Sequence[str]) -> bool:
    """Return whether the last of several clustered letters is one of these options."""
    return word.is_option and word.text[1] != "-" and any(one == f"-{word.text[-1]}" for one in options)


def list_operand_words(words: Sequence[Word]) -> list[Word]:
    names = list_operands(words)
    return [word for word in words if word.text in names]
