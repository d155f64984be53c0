"""Find what searches delete: ``find . -name __pycache__ -exec rm -rf {} +`` and similar commands.

Only searches by name in the workspace are understood.
"""

import os
from collections.abc import Sequence
from itertools import pairwise

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .generated_files import (
    DELETING,
    HARMLESS_BEFORE,
    build_git_paths,
    build_patterns,
    has_generated_name,
    is_below_workspace,
    is_generated,
    list_generated,
    may_lose,
)
from .issue import Invocation
from .shell import read_script
from .shell_generators import read_substitution
from .shell_words import Word

WHOLE_NAME = lazy_pattern(r"\^((?:[\w-]|\\\.)+)\$|(__\w+__|node_modules)")
FINDERS = frozenset({"find", "gfind"})
ACTIONS = frozenset({"-exec", "-execdir", "-delete", "-print", "-print0"})
# Conditions that only narrow a search, with the number of their values.
NARROWING = {"-prune": 0, "-depth": 0, "-empty": 0, "(": 0, ")": 0, "-xdev": 0, "-mount": 0}
NARROWING |= dict.fromkeys(("-type", "-maxdepth", "-mindepth", "-mtime", "-mmin", "-newer", "-size", "-user"), 1)
NEGATED = {"-path", "-name", "-wholename"}
# Programs that run another one, or a line, in the same folder.
SAME_FOLDER = frozenset(
    {
        "npx",
        "bunx",
        "time",
        "nice",
        "ionice",
        "nohup",
        "command",
        "stdbuf",
        "trap",
        "env",
        "shx",
        "pnpm",
        "yarn",
        "cmake",
    }
) | load_programs("shells")


def list_deleted(command: Invocation, line: str, ran: Sequence[Invocation]) -> tuple[str, ...]:
    """Return the paths, or patterns for git, that a command deletes if all of them are generated.

    ``ran`` are the earlier commands of the line: most may have put something valuable into a folder.
    """
    if command.name not in FINDERS:
        putting = (one for one in ran if one.name not in HARMLESS_BEFORE | SAME_FOLDER)
        return list_generated(command, [word.text for one in putting for word in one.words], line)
    return list_found_by_find(command.words, line) if command.words[-1:] and command.words[-1].text == "-delete" else ()


def list_handed_over(command: Invocation, searched: Sequence[str]) -> tuple[str, ...]:
    """Return the results of a search that go to a command which deletes these and nothing else."""
    handed = command.words and all(word.is_option or not word.is_known for word in command.words)
    return tuple(searched) if command.name in DELETING and handed else ()


def list_found(command: Invocation, line: str) -> tuple[str, ...]:
    """Return what a search finds and passes to the command that it runs, or to the one after its pipe."""
    if command.name in FINDERS:
        return list_found_by_find(command.words, line)
    if command.name in {"fd", "fdfind"}:
        return list_found_by_fd(command, line)
    if command.name not in {"xargs", "gxargs"} or not command.stdin or not command.stdin.producer:
        return ()
    script = read_script(command.stdin.producer)
    words = script.commands[0].words if len(script.commands) == 1 and not (script.broken or script.nested) else ()
    name, arguments = (words[0].text, words[1:]) if words else ("", ())
    if name == "ls" and arguments and arguments[0].text == "-d":
        listed = [word for word in arguments if not word.is_option]
        return tuple(one for word in listed for one in build_git_paths(word)) if all(map(is_generated, listed)) else ()
    return list_found_by_find(arguments, line) if name in FINDERS else ()


def list_found_by_loop(command: Invocation, words: Sequence[Word], line: str) -> tuple[str, ...]:
    """Return what a loop over the output of a search deletes, as ``for d in $(find . -name x); do rm -r $d; done``."""
    script = read_script(read_substitution(words[0].text)) if len(words) == 1 and not words[0].is_known else None
    if not script or command.name not in DELETING or len(script.commands) != 1 or script.broken or script.nested:
        return ()
    name, *arguments = script.commands[0].words
    return list_found_by_find(arguments, line) if name.text in FINDERS else ()


def list_found_by_fd(command: Invocation, line: str) -> tuple[str, ...]:
    """Return what ``fd '^name$' -x`` finds below the working folder; a name alone may match parts of other names."""
    texts = [word.text for word in command.words]
    end = next((at for at, text in enumerate(texts) if text in {"-x", "-X", "--exec", "--exec-batch"}), len(texts))
    taking = {"-t", "-d", "--type", "--max-depth"}
    arguments = [text for last, text in pairwise(["", *texts[:end]]) if text[:1] != "-" and last not in taking]
    match = WHOLE_NAME.fullmatch(arguments[0]) if len(arguments) == 1 else None
    name = (match[1] or match[2]).replace("\\.", ".") if match else ""
    return build_patterns(name, "**/") if has_generated_name(name) and not may_lose(line) else ()


def list_found_by_find(words: Sequence[Word], line: str) -> tuple[str, ...]:
    """Return what a search finds, as patterns for git; nothing if it may find something valuable."""
    texts = [word.text for word in words]
    end = next((at for at, text in enumerate(texts) if text in ACTIONS), len(texts))
    begin = next((at for at, text in enumerate(texts[:end]) if text[:1] in "-(!"), end)
    starts = [os.path.normpath(text) for text in texts[:begin]]
    if not all(word.is_known for word in words[:end]) or not all(map(is_below_workspace, starts)) or may_lose(line):
        return ()
    if sum(text in ACTIONS for text in texts) > 1 or {"-o", "-or", ","} & set(texts[end:]):
        return ()
    if starts and all(is_generated(Word(start)) for start in starts):
        return tuple(starts)
    names = list_searched_names(texts[begin:end], acts=end < len(texts))
    if not starts or not names or not all(map(has_generated_name, names)):
        return ()
    above = ["**/" if start == "." else f"{start}/**/" for start in starts]
    return tuple(pattern for name in names for one in above for pattern in build_patterns(name, one))


def list_searched_names(conditions: Sequence[str], *, acts: bool) -> list[str]:
    """Return the names that are searched for; none if another condition is not understood.

    ``acts``: the search skips what is pruned, as by ``-path x -prune -o``; otherwise it prints it.
    """
    names: list[str] = []
    *others, last = split_alternatives(conditions)
    for alternative in others:
        if not (acts and alternative[:1] and alternative[0] in NEGATED and alternative[2:] == ["-prune"]):
            names += (found := list_alternative_names(alternative))
            if not found:
                return []
    found = list_alternative_names(last)
    return [*names, *found] if found else []


def list_alternative_names(conditions: Sequence[str]) -> list[str]:
    """Return the names in conditions that are joined; none if another condition is not understood."""
    found, at = list[str](), 0
    while at < len(conditions):
        text, value = conditions[at], conditions[at + 1 : at + 2]
        if text in {"-not", "!"} and value and value[0] in NEGATED:
            at += 3
        elif text == "-name":
            found += value
            at += 2
        elif text in NARROWING:
            at += 1 + NARROWING[text]
        else:
            return []
    return found


def split_alternatives(conditions: Sequence[str]) -> list[list[str]]:
    """Return the conditions between each ``-o``."""
    parts: list[list[str]] = [[]]
    for text in conditions:
        if text in {"-o", "-or"}:
            parts.append([])
        else:
            parts[-1].append(text)
    return parts
