"""Find what interpreters run: an argument, their input, or a file that the same line has written."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .files import list_option_values
from .issue import Invocation
from .shell_words import Word

POWERSHELLS = frozenset({"powershell", "pwsh"})
PYTHON = lazy_pattern(r"^(python|pypy|ipython)[\d.]*w?$|^py$")
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
# Tools that run code: its language, the subcommands, and the options with the code (none: an operand).
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
CALLS = lazy_pattern(r"[.( ]\w")
QUIET = frozenset({"-V", "--version", "-v", "-h", "--help", "-vv", "-VV"})


@dataclass(frozen=True, slots=True)
class InterpreterCall:
    """What an interpreter runs: ``code`` in a ``language``, a ``script``, a ``module``, or its input (``fed``)."""

    language: str
    code: Word | None = None
    script: tuple[Word, ...] = ()
    fed: bool = False
    module: tuple[Word, ...] = ()


def find_code(command: Invocation) -> InterpreterCall | None:
    """Return the code that an interpreter runs; None for other programs."""
    name = command.name
    if name in {"source", "."}:
        return InterpreterCall("shell", script=command.words) if command.words else None
    if name in load_programs("shells"):
        return find_shell_code(command.words)
    if PYTHON.match(name):
        return find_python_code(command.words)
    if name == "iex" and not command.words:
        return InterpreterCall("shell", fed=True)
    if name in POWERSHELLS:
        return find_powershell_code(command.words)
    if name in AWKS:
        return find_awk_code(command.words)
    if name in RUNNERS:
        return find_runner_code(command)
    return find_option_code(command) if name in CODE else None


def find_runner_code(command: Invocation) -> InterpreterCall | None:
    """Return what ``rails runner`` or ``manage.py shell`` runs: an option, an operand with code, or its input."""
    language, subcommands, options = RUNNERS[command.name]
    first, *rest = [word for word in command.words if not word.is_option] or [Word("")]
    given = list_option_values(command.words, options) or [
        word for word in rest if not options and CALLS.search(word.text)
    ]
    if first.text in subcommands and given:
        return InterpreterCall(language, code=given[0])
    return InterpreterCall(language, fed=True) if first.text in subcommands | CONSOLES and not rest else None


def find_shell_code(words: Sequence[Word]) -> InterpreterCall:
    at, reads = 0, False
    while at < len(words) and (words[at].is_option or words[at].text.startswith("+")):
        text = words[at].text
        if text in QUIET:
            return InterpreterCall("shell")
        if text == "--":
            at += 1
            break
        if not text.startswith("--") and "c" in text[1:] and not text.startswith("+"):
            return InterpreterCall("shell", code=find_operand(words, at, frozenset({*SHELL_VALUES})))
        reads |= not text.startswith("--") and "s" in text[1:]
        at += 2 if text in SHELL_VALUES or text[-1] in "oO" else 1
    script = tuple(words[at:])
    return (
        InterpreterCall("shell", fed=True)
        if reads or not script or script[0].text == "-"
        else InterpreterCall("shell", script=script)
    )


def find_operand(words: Sequence[Word], at: int, taking: frozenset[str]) -> Word | None:
    """Return the first word after an option that is not an option."""
    at += 1
    while at < len(words) and words[at].is_option:
        at += 2 if words[at].text in taking else 1
    return words[at] if at < len(words) else None


def find_python_code(words: Sequence[Word]) -> InterpreterCall:
    at = 0
    while at < len(words) and words[at].is_option:
        text = words[at].text
        if text in QUIET:
            return InterpreterCall("python")
        if not text.startswith("--") and text[-1] == "c":
            return InterpreterCall("python", code=words[at + 1] if at + 1 < len(words) else None)
        if text.startswith("-c"):
            return InterpreterCall("python", code=Word(text[2:], words[at].is_known))
        if text == "-m" or (not text.startswith("--") and text[-1] == "m"):
            return InterpreterCall("python", module=tuple(words[at + 1 :]))
        at += 2 if text in PYTHON_VALUES else 1
    script = tuple(words[at:])
    return (
        InterpreterCall("python", fed=True)
        if not script or script[0].text == "-"
        else InterpreterCall("python", script=script)
    )


def find_powershell_code(words: Sequence[Word]) -> InterpreterCall:
    """Return the command: everything from the first word that is neither an option nor its value."""
    at = 0
    while at < len(words) and words[at].is_option:
        option = words[at].text.lower()
        if option in {"-e", "-ec"} or (option.startswith("-en") and "-encodedcommand".startswith(option)):
            return InterpreterCall("shell", code=Word("$(encoded)", is_known=False))
        at += 2 if option in POWERSHELL_VALUES else 1
    rest = words[at:]
    if not rest or rest[0].text == "-":
        return InterpreterCall("shell", fed=True)
    if rest[0].text.lower().endswith(".ps1"):
        return InterpreterCall("shell", script=tuple(rest))
    return InterpreterCall("shell", code=Word(" ".join(one.text for one in rest), all(one.is_known for one in rest)))


def find_awk_code(words: Sequence[Word]) -> InterpreterCall:
    at = 0
    while at < len(words) and words[at].is_option:
        if words[at].text in {"-f", "--file"}:
            return InterpreterCall("awk", script=tuple(words[at + 1 :]))
        at += 2 if words[at].text in {"-F", "-v"} else 1
    return InterpreterCall("awk", code=words[at] if at < len(words) else None)


def find_option_code(command: Invocation) -> InterpreterCall:
    options, words = CODE[command.name], command.words
    for at, word in enumerate(words):
        if word.text in QUIET and at == 0:
            return InterpreterCall(command.name)
        if word.text in options or ends_in_code_option(word, options):
            return InterpreterCall(command.name, code=words[at + 1] if at + 1 < len(words) else None)
        option, given, value = word.text.partition("=")
        if given and option in options:
            return InterpreterCall(command.name, code=Word(value, word.is_known))
        if not word.is_option:
            return InterpreterCall(
                command.name, script=tuple(words[at:]) if word.text != "-" else (), fed=word.text == "-"
            )
    return InterpreterCall(command.name, fed=command.name not in UNFED)


def ends_in_code_option(word: Word, options: Sequence[str]) -> bool:
    """Return whether letters such as ``-lane`` end in one that takes code."""
    return (
        "-e" in options
        and re.fullmatch(r"-[A-Za-z0-9.]*[eE]", word.text) is not None
        and not word.text.startswith("--")
    )


def detect_language(path: str) -> str:
    """Return the language of a script, by its name."""
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
