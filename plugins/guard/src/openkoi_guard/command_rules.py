"""Read the rule files of dangerous commands: each line describes some, and why they need confirmation.

    git push -f|--force|@+* !--atomic = overwrites shared history

First the programs, then operands in their order (``**`` stands for any number of them), then anywhere: options, of
which one-letter ones may be clustered, ``@`` any word that matches, ``!`` none of these words, ``%`` any name of a kind
in ``programs.table``. ``|`` separates alternatives.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .limits import MAX_CACHED_NAMES
from .shell_words import Word

RULES = Path(__file__).with_name("rules")
HARMLESS = frozenset(
    {"--help", "-help", "--dry-run", "--dryrun", "--dry_run", "--dry-run=client", "--dry-run=server", "--dry-run=true"}
)
VERSION = frozenset({"--version", "-V"})
MIN_OPTION_LENGTH = 5  # shorter abbreviations of an option do not match: two dashes, three letters (estimate)
WILDCARDS = lazy_pattern(r"[*?\[]")


Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class OptionPattern:
    """Match any word of a command; none may match when it is ``negated``."""

    pattern: re.Pattern[str]
    negated: bool = False

    def matches(self, words: Sequence[Word]) -> bool:
        """Return whether a word of the command matches, or none does if negated."""
        match = self.pattern.match
        return any(match(word.text) for word in words) is not self.negated


@dataclass(frozen=True, slots=True)
class CommandRule:
    """One line of a rule file. An operand of None matches any number of operands."""

    operands: tuple[re.Pattern[str] | None, ...]
    options: tuple[OptionPattern, ...]
    why: str
    category: str

    def matches(self, words: Sequence[Word], rest: Sequence[Word], operands: Sequence[str]) -> bool:
        """Return whether the rule matches a command with these words; ``rest`` are those from the subcommand on."""
        where = rest if self.operands else words
        return match_operands(self.operands, operands) and all(option.matches(where) for option in self.options)


def compile_option(alternatives: Sequence[str]) -> re.Pattern[str]:
    """Return an expression for the alternatives of an option."""
    return re.compile("|".join(map(translate_option, alternatives)), re.DOTALL)


def translate_option(pattern: str) -> str:
    """Return one alternative of an option as an expression."""
    if pattern.startswith("%"):
        return "|".join(map(translate_option, sorted(load_programs(pattern[1:]))))
    if pattern.startswith("@"):
        return translate(pattern[1:])
    if pattern.startswith("--"):
        return translate_long_option(pattern)
    if len(pattern) == 2 and pattern[0] == "-":
        return rf"-(?!-)[^=]*{re.escape(pattern[1])}"
    return rf"{translate(pattern)}|{re.escape(pattern)}="


def translate_long_option(pattern: str) -> str:
    """Return an expression for a long option, with or without a value, or shortened to three letters or more."""
    if WILDCARDS.search(pattern):
        return translate(pattern).replace(".*", "[^=]*").removesuffix(r"\Z").removesuffix(r"\z") + r"(?:=|\Z)"
    letters = [re.escape(letter) for letter in pattern[MIN_OPTION_LENGTH:]]
    return re.escape(pattern[:MIN_OPTION_LENGTH]) + "(?:".join(["", *letters]) + ")?" * len(letters) + r"(?:=|\Z)"


def match_operands(expected: Sequence[re.Pattern[str] | None], operands: Sequence[str]) -> bool:
    """Return whether the operands, in lower case, begin with these patterns."""
    for at, expression in enumerate(expected):
        if expression is None:
            return any(match_operands(expected[at + 1 :], operands[skip:]) for skip in range(at, len(operands) + 1))
        if at >= len(operands) or not expression.match(operands[at]):
            return False
    return True


def list_operands(words: Sequence[Word]) -> list[str]:
    """Return the words that are not options."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word.text == "--" and word.is_known:
            return found + [after.text for after in words[at + 1 :]]
        if not word.is_option:
            found.append(word.text)
    return found


def only_shows_help(words: Sequence[Word], *, anywhere: bool) -> bool:
    """Return whether a command only shows help, its version, or what it would do.

    Some programs do their work on all operands before the option, and then complain.
    """
    for word in words:
        if word.text == "--" or (not word.is_option and not anywhere):
            return False
        if word.text in HARMLESS or (word.text in VERSION and not anywhere):
            return True
    if anywhere and words[-1:] and words[-1].text == "help":
        return not any(word.is_option for word in words)
    return False


def parse_rule(line: str, category: str) -> CommandRule:
    """Parse one line of a rule file."""
    pattern, _, why = line.partition(" = ")
    _, *tokens = pattern.split()
    options = [token for token in tokens if token[0] in "-@!"]
    return CommandRule(
        tuple(None if token == "**" else compile_operand(token) for token in tokens if token not in options),
        tuple(OptionPattern(compile_option(one.removeprefix("!").split("|")), one.startswith("!")) for one in options),
        why.strip(),
        category,
    )


def compile_operand(token: str) -> re.Pattern[str]:
    """Return an expression for an operand."""
    return re.compile("|".join(map(translate, token.split("|"))))


def read_table(file: Path) -> Iterator[str]:
    """Yield the lines of a data file without comments and blank lines."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


@cache
def load_programs(kind: str) -> frozenset[str]:
    """Return the programs of a kind in ``rules/programs.table``."""
    rows = (line.split() for line in read_table(RULES / "programs.table"))
    return frozenset(name for first, *names in rows if first == kind for name in names)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The lines of all rule files with their categories, by program name or name pattern."""

    by_name: dict[str, list[Line]]
    by_pattern: list[tuple[str, Line]]
    globals: dict[str, frozenset[str]]

    def add(self, line: Line) -> None:
        """Add a line under each of its programs."""
        for program in line[0].split(maxsplit=1)[0].split(","):
            if WILDCARDS.search(program):
                self.by_pattern.append((program, line))
            else:
                self.by_name.setdefault(program, []).append(line)

    def strip_global_options(self, name: str, words: Sequence[Word]) -> Sequence[Word]:
        """Return the words from the subcommand on."""
        taking, at = self.globals.get(name), 0
        if taking is None:
            return words
        while at < len(words) and words[at].is_option:
            at += 2 if words[at].text in taking else 1
        return words[at:]


@cache
def load_rules() -> RuleSet:
    """Read the rule files."""
    rules = RuleSet({}, [], load_global_options())
    for file in sorted(RULES.glob("*.rules")):
        for line in read_table(file):
            rules.add((line, file.stem))
    return rules


@lru_cache(maxsize=MAX_CACHED_NAMES)
def select_rules(name: str) -> tuple[CommandRule, ...]:
    """Return the rules for a program; they are compiled when it is first used."""
    rules = load_rules()
    by_pattern = (line for pattern, line in rules.by_pattern if fnmatchcase(name, pattern))
    return tuple(parse_rule(*line) for line in [*rules.by_name.get(name, ()), *by_pattern])


def load_global_options() -> dict[str, frozenset[str]]:
    """Return the options that take a value before a subcommand, by program."""
    rows = (line.split() for line in read_table(RULES / "subcommands.table"))
    return {name: frozenset(options) for names, *options in rows for name in names.split(",")}
