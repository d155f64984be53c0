"""The language of the rule files: one line says which commands it means, and why a person should see them.

    git push -f|--force|@+* !--atomic = overwrites what others may have built on

First the programs, then operands in their order (``**`` stands for any number of them), then anywhere: options, of
which one-letter ones may be clustered, ``@`` some word like this, ``!`` none of these words, ``%`` any name
of a kind in ``programs.table``. ``|`` separates alternatives.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from pathlib import Path

from .words import Word

RULES = Path(__file__).with_name("rules")
HARMLESS = frozenset(
    {"--help", "-help", "--dry-run", "--dryrun", "--dry_run", "--dry-run=client", "--dry-run=server", "--dry-run=true"}
)
VERSION = frozenset({"--version", "-V"})
MOST_NAMES = 1_000
SHORTEST = 5
SIGNS = re.compile(r"[*?\[]")


Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """A token that some word of the command has to match, or none may."""

    sign: re.Pattern[str]
    none_of_them: bool = False

    def fits(self, words: Sequence[Word]) -> bool:
        """Whether a command has it, or has none of it."""
        match = self.sign.match
        return any(match(word.text) for word in words) is not self.none_of_them


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a rule file. An operand of None stands for any number of them."""

    operands: tuple[re.Pattern[str] | None, ...]
    options: tuple[Option, ...]
    why: str
    category: str

    def fits(self, words: Sequence[Word], given: Sequence[Word], operands: Sequence[str]) -> bool:
        """Whether it means a command with these words; ``given`` are those from the subcommand on."""
        looked_at = given if self.operands else words
        return in_order(self.operands, operands) and all(option.fits(looked_at) for option in self.options)


def sign_of(alternatives: Sequence[str]) -> re.Pattern[str]:
    """What any of the alternatives of an option looks like."""
    return re.compile("|".join(map(sign_of_one, alternatives)), re.DOTALL)


def sign_of_one(pattern: str) -> str:
    if pattern.startswith("%"):
        return "|".join(map(sign_of_one, sorted(programs(pattern[1:]))))
    if pattern.startswith("@"):
        return translate(pattern[1:])
    if pattern.startswith("--"):
        return sign_of_long(pattern)
    if len(pattern) == 2 and pattern[0] == "-":
        return rf"-(?!-)[^=]*{re.escape(pattern[1])}"
    return rf"{translate(pattern)}|{re.escape(pattern)}="


def sign_of_long(pattern: str) -> str:
    """A long option: also with a value, also shortened to three letters or more."""
    if SIGNS.search(pattern):
        return translate(pattern).replace(".*", "[^=]*").removesuffix(r"\Z").removesuffix(r"\z") + r"(?:=|\Z)"
    letters = [re.escape(letter) for letter in pattern[SHORTEST:]]
    return re.escape(pattern[:SHORTEST]) + "(?:".join(["", *letters]) + ")?" * len(letters) + r"(?:=|\Z)"


def in_order(wanted: Sequence[re.Pattern[str] | None], operands: Sequence[str]) -> bool:
    """Whether the operands, in small letters, begin like this."""
    for at, sign in enumerate(wanted):
        if sign is None:
            return any(in_order(wanted[at + 1 :], operands[skip:]) for skip in range(at, len(operands) + 1))
        if at >= len(operands) or not sign.match(operands[at]):
            return False
    return True


def operands_of(words: Sequence[Word]) -> list[str]:
    """The words that are no options."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word.text == "--" and word.known:
            return found + [after.text for after in words[at + 1 :]]
        if not word.option:
            found.append(word.text)
    return found


def only_tells(words: Sequence[Word], *, anywhere: bool) -> bool:
    """Whether a command asks for help, or for what it would do, and does nothing.

    Some programs do their work on all operands before the option, and then complain.
    """
    for word in words:
        if word.text == "--" or (not word.option and not anywhere):
            return False
        if word.text in HARMLESS or (word.text in VERSION and not anywhere):
            return True
    if anywhere and words[-1:] and words[-1].text == "help":
        return not any(word.option for word in words)
    return False


def parsed(line: str, category: str) -> Rule:
    """Read one line of a rule file."""
    pattern, _, why = line.partition(" = ")
    _, *tokens = pattern.split()
    options = [token for token in tokens if token[0] in "-@!"]
    return Rule(
        tuple(None if token == "**" else operand_of(token) for token in tokens if token not in options),
        tuple(Option(sign_of(one.removeprefix("!").split("|")), one.startswith("!")) for one in options),
        why.strip(),
        category,
    )


def operand_of(token: str) -> re.Pattern[str]:
    """What an operand looks like."""
    return re.compile("|".join(map(translate, token.split("|"))))


def lines_of(file: Path) -> Iterator[str]:
    """The lines of a data file that say something."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


@cache
def programs(kind: str) -> frozenset[str]:
    """The programs of a kind, as ``rules/programs.table`` lists them."""
    rows = (line.split() for line in lines_of(RULES / "programs.table"))
    return frozenset(name for first, *names in rows if first == kind for name in names)


@dataclass(frozen=True, slots=True)
class Book:
    """The lines of all rule files with their categories, by the names of programs, or patterns of such names."""

    by_name: dict[str, list[Line]]
    by_pattern: list[tuple[str, Line]]
    globals: dict[str, frozenset[str]]

    def enter(self, line: Line) -> None:
        """Put a line under each of its programs."""
        for program in line[0].split(maxsplit=1)[0].split(","):
            if SIGNS.search(program):
                self.by_pattern.append((program, line))
            else:
                self.by_name.setdefault(program, []).append(line)

    def stripped(self, name: str, words: Sequence[Word]) -> Sequence[Word]:
        """The words after the options that stand before the subcommand."""
        taking, at = self.globals.get(name), 0
        if taking is None:
            return words
        while at < len(words) and words[at].option:
            at += 2 if words[at].text in taking else 1
        return words[at:]


@cache
def book() -> Book:
    """Read the rule files, once."""
    shelf = Book({}, [], global_options())
    for file in sorted(RULES.glob("*.rules")):
        for line in lines_of(file):
            shelf.enter((line, file.stem))
    return shelf


@lru_cache(maxsize=MOST_NAMES)
def rules_for(name: str) -> tuple[Rule, ...]:
    """The rules that may mean a program; they are read when it is met for the first time."""
    shelf = book()
    by_pattern = (line for pattern, line in shelf.by_pattern if fnmatchcase(name, pattern))
    return tuple(parsed(*line) for line in [*shelf.by_name.get(name, ()), *by_pattern])


def global_options() -> dict[str, frozenset[str]]:
    """Programs with subcommands, and their options before it that take a value."""
    rows = (line.split() for line in lines_of(RULES / "subcommands.table"))
    return {name: frozenset(options) for names, *options in rows for name in names.split(",")}
