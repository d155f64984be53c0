"""The language of the rule files: one line says which commands it means, and why a person should see them.

    git push -f|--force|@+* !--atomic = overwrites what others may have built on

First the programs, then operands in their order (``**`` stands for any number of them), then anywhere: options, of
which one-letter ones may be clustered, ``@`` some word like this, ``!`` none of these words. ``|`` parts alternatives.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cache
from pathlib import Path

from .words import Word

RULES = Path(__file__).with_name("rules")
HARMLESS = frozenset({"--help", "--dry-run", "--dryrun", "--dry-run=client", "--dry-run=server", "--dry-run=true"})
VERSION = frozenset({"--version", "-V"})
SIGNS = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Option:
    """A token that some word of the command has to match."""

    alternatives: tuple[str, ...]
    none_of_them: bool = False

    def fits(self, words: Sequence[Word]) -> bool:
        """Whether a command has it, or has none of it."""
        found = any(fits_word(one, word) for one in self.alternatives for word in words)
        return found is not self.none_of_them


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a rule file."""

    programs: tuple[str, ...]
    operands: tuple[tuple[str, ...], ...]
    options: tuple[Option, ...]
    why: str
    category: str

    def fits(self, given: Sequence[Word], operands: Sequence[str]) -> bool:
        """Whether it means a command with these words."""
        return in_order(self.operands, operands) and all(option.fits(given) for option in self.options)


def fits_word(pattern: str, word: Word) -> bool:
    if pattern.startswith("@"):
        return fnmatchcase(word.text, pattern[1:])
    if pattern.startswith("--"):
        return fits_long(pattern, word.text)
    if len(pattern) == 2 and pattern[0] == "-":
        return word.option and word.text[1] != "-" and pattern[1] in word.text.split("=")[0]
    return fnmatchcase(word.text, pattern) or word.text.startswith(pattern + "=")


def fits_long(pattern: str, text: str) -> bool:
    """Whether a word is this long option, also with a value, also shortened."""
    name = text.split("=")[0]
    return name == pattern or (len(name) > 4 and pattern.startswith(name)) or fnmatchcase(name, pattern)


def in_order(wanted: Sequence[tuple[str, ...]], operands: Sequence[str]) -> bool:
    """Whether the operands begin like this."""
    if not wanted:
        return True
    if wanted[0] == ("**",):
        return any(in_order(wanted[1:], operands[at:]) for at in range(len(operands) + 1))
    if not operands:
        return False
    return any(fnmatchcase(operands[0].lower(), one) for one in wanted[0]) and in_order(wanted[1:], operands[1:])


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
    return False


def parsed(line: str, category: str) -> Rule:
    """Read one line of a rule file."""
    pattern, _, why = line.partition(" = ")
    programs, *tokens = pattern.split()
    options = [token for token in tokens if token[0] in "-@!"]
    return Rule(
        tuple(programs.split(",")),
        tuple(tuple(token.split("|")) for token in tokens if token not in options),
        tuple(Option(tuple(one.removeprefix("!").split("|")), one.startswith("!")) for one in options),
        why.strip(),
        category,
    )


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
    """All rules, found by the name of a program."""

    by_name: dict[str, tuple[Rule, ...]]
    by_pattern: tuple[tuple[str, Rule], ...]
    by_pattern_sign: re.Pattern[str]
    globals: dict[str, frozenset[str]]

    def rules_for(self, name: str) -> tuple[Rule, ...]:
        """The rules that may mean a program."""
        known = self.by_name.get(name, ())
        if not self.by_pattern_sign.match(name):
            return known
        return known + tuple(rule for pattern, rule in self.by_pattern if fnmatchcase(name, pattern))

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
    by_name: dict[str, list[Rule]] = {}
    by_pattern: list[tuple[str, Rule]] = []
    for file in sorted(RULES.glob("*.rules")):
        for rule in (parsed(line, file.stem) for line in lines_of(file)):
            for program in rule.programs:
                if SIGNS.search(program):
                    by_pattern.append((program, rule))
                else:
                    by_name.setdefault(program, []).append(rule)
    any_pattern = re.compile("|".join(translate(pattern) for pattern, _ in by_pattern))
    by_program = {name: tuple(rules) for name, rules in by_name.items()}
    return Book(by_program, tuple(by_pattern), any_pattern, global_options())


def global_options() -> dict[str, frozenset[str]]:
    """Programs with subcommands, and their options before it that take a value."""
    rows = (line.split() for line in lines_of(RULES / "subcommands.table"))
    return {name: frozenset(options) for names, *options in rows for name in names.split(",")}
