"""Programs that run what they are given: as a word, on their input, or in a file that the same line has written."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .finding import Command
from .patterns import programs
from .words import Word

POWERSHELLS = frozenset({"powershell", "pwsh"})
PYTHON = re.compile(r"^(python|pypy|ipython)[\d.]*w?$|^py$")
CODE: Mapping[str, tuple[str, ...]] = {
    "perl": ("-e", "-E", "-ne", "-pe", "-le", "-lne", "-nle", "-pie"),
    "ruby": ("-e", "-ne", "-pe"),
    "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "nodejs": ("-e", "--eval", "-p", "--print"),
    "deno": ("eval",),
    "bun": ("-e", "--eval", "-p"),
    "php": ("-r", "-R", "-B", "-E"),
    "lua": ("-e",),
    "luajit": ("-e",),
    "osascript": ("-e",),
    "rscript": ("-e",),
    "r": ("-e",),
    "julia": ("-e", "-E"),
    "elixir": ("-e", "--eval"),
    "groovy": ("-e",),
    "kotlin": ("-e", "-expression"),
    "jshell": (),
    "tclsh": (),
    "expect": ("-c",),
    "irb": (),
}
# Tools that run code in a language: after which word, and in which options, or as an operand.
RUNNERS: Mapping[str, tuple[str, frozenset[str], tuple[str, ...]]] = {
    "rails": ("ruby", frozenset({"runner", "r"}), ()),
    "manage.py": ("python", frozenset({"shell", "shell_plus"}), ("-c", "--command")),
    "artisan": ("php", frozenset({"tinker"}), ("--execute",)),
    "mix": ("elixir", frozenset({"run"}), ("-e", "--eval")),
    "flask": ("python", frozenset({"shell"}), ()),
}
CONSOLES = frozenset({"c", "console", "shell", "shell_plus", "tinker"})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "goawk"})
UNFED = frozenset({"deno", "r", "rscript", "julia", "elixir", "groovy"})
SHELL_VALUES = frozenset({"-o", "-O", "+o", "+O", "--rcfile", "--init-file"})
POWERSHELL_VALUES = frozenset({"-executionpolicy", "-ep", "-ex", "-version", "-windowstyle", "-w", "-inputformat"})
PYTHON_VALUES = frozenset({"-W", "-X"})
ENDINGS = {".py": "python", ".js": "node", ".mjs": "node", ".rb": "ruby", ".pl": "perl", ".php": "php", ".lua": "lua"}
CALLS = re.compile(r"[.( ]\w")
QUIET = frozenset({"-V", "--version", "-v", "-h", "--help", "-vv", "-VV"})


@dataclass(frozen=True, slots=True)
class Code:
    """What an interpreter is to run: ``code`` in a ``language``, a ``script``, or whatever is ``fed`` to it."""

    language: str
    code: Word | None = None
    script: tuple[Word, ...] = ()
    fed: bool = False
    module: tuple[Word, ...] = ()


def code_of(command: Command) -> Code | None:
    """Say what an interpreter runs; None for other programs."""
    name = command.name
    if name in {"source", "."}:
        return Code("shell", script=command.words) if command.words else None
    if name in programs("shells"):
        return shell_code(command.words)
    if PYTHON.match(name):
        return python_code(command.words)
    if name == "iex" and not command.words:
        return Code("shell", fed=True)
    if name in POWERSHELLS:
        return powershell_code(command.words)
    if name in AWKS:
        return awk_code(command.words)
    if name in RUNNERS:
        return runner_code(command)
    return other_code(command) if name in CODE else None


def runner_code(command: Command) -> Code | None:
    """What ``rails runner`` or ``manage.py shell`` is given: an option, an operand that is no file, or its input."""
    language, subcommands, options = RUNNERS[command.name]
    first, *rest = [word for word in command.words if not word.option] or [Word("")]
    given = valued_by(command.words, options) or [word for word in rest if not options and CALLS.search(word.text)]
    if first.text in subcommands and given:
        return Code(language, code=given[0])
    return Code(language, fed=True) if first.text in subcommands | CONSOLES and not rest else None


def valued_by(words: Sequence[Word], options: Sequence[str]) -> list[Word]:
    """The values of these options, apart or behind ``=``."""
    apart = [value for word, value in pairwise(words) if word.text in options]
    pairs = ((word, *word.text.partition("=")) for word in words)
    return apart + [Word(value, word.known) for word, option, sign, value in pairs if sign and option in options]


def shell_code(words: Sequence[Word]) -> Code:
    at, reads = 0, False
    while at < len(words) and (words[at].option or words[at].text.startswith("+")):
        text = words[at].text
        if text in QUIET:
            return Code("shell")
        if text == "--":
            at += 1
            break
        if not text.startswith("--") and "c" in text[1:] and not text.startswith("+"):
            return Code("shell", code=after(words, at, frozenset({*SHELL_VALUES})))
        reads |= not text.startswith("--") and "s" in text[1:]
        at += 2 if text in SHELL_VALUES or text[-1] in "oO" else 1
    script = tuple(words[at:])
    return Code("shell", fed=True) if reads or not script or script[0].text == "-" else Code("shell", script=script)


def after(words: Sequence[Word], at: int, taking: frozenset[str]) -> Word | None:
    """The first word after an option that is none itself."""
    at += 1
    while at < len(words) and words[at].option:
        at += 2 if words[at].text in taking else 1
    return words[at] if at < len(words) else None


def python_code(words: Sequence[Word]) -> Code:
    at = 0
    while at < len(words) and words[at].option:
        text = words[at].text
        if text in QUIET:
            return Code("python")
        if not text.startswith("--") and text[-1] == "c":
            return Code("python", code=words[at + 1] if at + 1 < len(words) else None)
        if text.startswith("-c"):
            return Code("python", code=Word(text[2:], words[at].known))
        if text == "-m" or (not text.startswith("--") and text[-1] == "m"):
            return Code("python", module=tuple(words[at + 1 :]))
        at += 2 if text in PYTHON_VALUES else 1
    script = tuple(words[at:])
    return Code("python", fed=True) if not script or script[0].text == "-" else Code("python", script=script)


def powershell_code(words: Sequence[Word]) -> Code:
    """Everything from the first word that is neither an option nor the value of one is a command."""
    at = 0
    while at < len(words) and words[at].option:
        option = words[at].text.lower()
        if option in {"-e", "-ec"} or (option.startswith("-en") and "-encodedcommand".startswith(option)):
            return Code("shell", code=Word("$(encoded)", known=False))
        at += 2 if option in POWERSHELL_VALUES else 1
    rest = words[at:]
    if not rest or rest[0].text == "-":
        return Code("shell", fed=True)
    if rest[0].text.lower().endswith(".ps1"):
        return Code("shell", script=tuple(rest))
    return Code("shell", code=Word(" ".join(one.text for one in rest), all(one.known for one in rest)))


def awk_code(words: Sequence[Word]) -> Code:
    at = 0
    while at < len(words) and words[at].option:
        if words[at].text in {"-f", "--file"}:
            return Code("awk", script=tuple(words[at + 1 :]))
        at += 2 if words[at].text in {"-F", "-v"} else 1
    return Code("awk", code=words[at] if at < len(words) else None)


def other_code(command: Command) -> Code:
    options, words = CODE[command.name], command.words
    for at, word in enumerate(words):
        if word.text in QUIET and at == 0:
            return Code(command.name)
        if word.text in options or combined(word, options):
            return Code(command.name, code=words[at + 1] if at + 1 < len(words) else None)
        option, given, value = word.text.partition("=")
        if given and option in options:
            return Code(command.name, code=Word(value, word.known))
        if not word.option:
            return Code(command.name, script=tuple(words[at:]) if word.text != "-" else (), fed=word.text == "-")
    return Code(command.name, fed=command.name not in UNFED)


def combined(word: Word, options: Sequence[str]) -> bool:
    """Whether letters such as ``-lane`` end in one that takes code."""
    return (
        "-e" in options
        and re.fullmatch(r"-[A-Za-z0-9.]*[eE]", word.text) is not None
        and not word.text.startswith("--")
    )


def language_of(path: str) -> str:
    """The language of a script, by its name."""
    endings = {
        ".py": "python",
        ".js": "node",
        ".mjs": "node",
        ".rb": "ruby",
        ".pl": "perl",
        ".php": "php",
        ".lua": "lua",
    }
    return endings.get(posixpath.splitext(path)[1], "shell")
