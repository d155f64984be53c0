"""Searches that delete what they find: ``find . -name __pycache__ -exec rm -rf {} +`` and its like.

Only a search of the folder that is worked in, or of folders below it, by names is understood.
"""

import os
import re
from collections.abc import Sequence
from itertools import pairwise

from .finding import Command
from .generated import (
    DELETING,
    HARMLESS_BEFORE,
    generated_targets,
    is_below,
    is_generated,
    is_made_again,
    may_lose,
    patterns_of,
    targets_of,
)
from .patterns import programs
from .shell import read_script
from .trusted import substituted
from .words import Word

WHOLE_NAME = re.compile(r"\^((?:[\w-]|\\\.)+)\$|(__\w+__|node_modules)")
FINDERS = frozenset({"find", "gfind"})
ACTIONS = frozenset({"-exec", "-execdir", "-delete", "-print", "-print0"})
# Conditions that make a search find no more than its names do, with how many values.
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
) | programs("shells")


def deleted_by(command: Command, line: str, ran: Sequence[Command]) -> tuple[str, ...]:
    """Return what a command deletes, if all of it is made again: paths, or patterns for git.

    ``ran`` are the commands before it in the line: most may have put something of value into a folder.
    """
    if command.name not in FINDERS:
        putting = (one for one in ran if one.name not in HARMLESS_BEFORE | SAME_FOLDER)
        return generated_targets(command, [word.text for one in putting for word in one.words], line)
    return found_by(command.words, line) if command.words[-1:] and command.words[-1].text == "-delete" else ()


def handed_over(command: Command, searched: Sequence[str]) -> tuple[str, ...]:
    """Return what a search hands to a command that deletes it and nothing else."""
    handed = command.words and all(word.option or not word.known for word in command.words)
    return tuple(searched) if command.name in DELETING and handed else ()


def searched_by(command: Command, line: str) -> tuple[str, ...]:
    """Return what a search finds and hands to the command that it runs, or to the one behind its pipe."""
    if command.name in FINDERS:
        return found_by(command.words, line)
    if command.name in {"fd", "fdfind"}:
        return found_by_fd(command, line)
    if command.name not in {"xargs", "gxargs"} or not command.feed or not command.feed.of:
        return ()
    script = read_script(command.feed.of)
    words = script.commands[0].words if len(script.commands) == 1 and not (script.broken or script.nested) else ()
    name, given = (words[0].text, words[1:]) if words else ("", ())
    if name == "ls" and given and given[0].text == "-d":
        listed = [word for word in given if not word.option]
        return tuple(one for word in listed for one in targets_of(word)) if all(map(is_generated, listed)) else ()
    return found_by(given, line) if name in FINDERS else ()


def found_by_loop(command: Command, words: Sequence[Word], line: str) -> tuple[str, ...]:
    """Return what a loop over the output of a search deletes, as ``for d in $(find . -name x); do rm -r $d; done``."""
    script = read_script(substituted(words[0].text)) if len(words) == 1 and not words[0].known else None
    if not script or command.name not in DELETING or len(script.commands) != 1 or script.broken or script.nested:
        return ()
    name, *given = script.commands[0].words
    return found_by(given, line) if name.text in FINDERS else ()


def found_by_fd(command: Command, line: str) -> tuple[str, ...]:
    """Return what ``fd '^name$' -x`` finds below the folder that is worked in; a name alone may be a part of others."""
    texts = [word.text for word in command.words]
    end = next((at for at, text in enumerate(texts) if text in {"-x", "-X", "--exec", "--exec-batch"}), len(texts))
    taking = {"-t", "-d", "--type", "--max-depth"}
    given = [text for last, text in pairwise(["", *texts[:end]]) if text[:1] != "-" and last not in taking]
    match = WHOLE_NAME.fullmatch(given[0]) if len(given) == 1 else None
    name = (match[1] or match[2]).replace("\\.", ".") if match else ""
    return patterns_of(name, "**/") if is_made_again(name) and not may_lose(line) else ()


def found_by(words: Sequence[Word], line: str) -> tuple[str, ...]:
    """Return what a search finds, as patterns for git; nothing where it may find what is of value."""
    texts = [word.text for word in words]
    end = next((at for at, text in enumerate(texts) if text in ACTIONS), len(texts))
    begin = next((at for at, text in enumerate(texts[:end]) if text[:1] in "-(!"), end)
    starts = [os.path.normpath(text) for text in texts[:begin]]
    if not all(word.known for word in words[:end]) or not all(map(is_below, starts)) or may_lose(line):
        return ()
    if sum(text in ACTIONS for text in texts) > 1 or {"-o", "-or", ","} & set(texts[end:]):
        return ()
    if starts and all(is_generated(Word(start)) for start in starts):
        return tuple(starts)
    names = names_in(texts[begin:end], acts=end < len(texts))
    if not starts or not names or not all(map(is_made_again, names)):
        return ()
    above = ["**/" if start == "." else f"{start}/**/" for start in starts]
    return tuple(pattern for name in names for one in above for pattern in patterns_of(name, one))


def names_in(conditions: Sequence[str], *, acts: bool) -> list[str]:
    """Return the names that are searched for; none where another condition is not understood.

    ``acts``: what is left out, as by ``-path x -prune -o``, is not found; otherwise the search prints it.
    """
    names: list[str] = []
    *others, last = alternatives(conditions)
    for alternative in others:
        if not (acts and alternative[:1] and alternative[0] in NEGATED and alternative[2:] == ["-prune"]):
            names += (found := names_in_one(alternative))
            if not found:
                return []
    found = names_in_one(last)
    return [*names, *found] if found else []


def names_in_one(conditions: Sequence[str]) -> list[str]:
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


def alternatives(conditions: Sequence[str]) -> list[list[str]]:
    """Return the conditions between each ``-o``."""
    parts: list[list[str]] = [[]]
    for text in conditions:
        if text in {"-o", "-or"}:
            parts.append([])
        else:
            parts[-1].append(text)
    return parts
