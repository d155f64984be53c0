"""Searches that delete what they find: ``find . -name __pycache__ -exec rm -rf {} +`` and its like.

Only a search of the folder that is worked in, by names that no branch in ``.git`` can have, is understood.
"""

from collections.abc import Sequence

from .finding import Command
from .generated import DELETING, HARMLESS_BEFORE, OUT_OF_ORDER, generated_targets, is_made_again, patterns_of
from .shell import read_script
from .words import Word

FINDERS = frozenset({"find", "gfind"})
ACTIONS = frozenset({"-exec", "-execdir", "-delete", "-print", "-print0"})
# Conditions that make a search find no more than its names do.
NARROWING = frozenset({"-prune", "-depth"})
NARROWING_VALUES = frozenset({"-type", "-maxdepth", "-mindepth"})
# Programs that run another one, or a line, in the same folder.
SAME_FOLDER = frozenset({"npx", "bunx", "time", "nice", "ionice", "nohup", "command", "stdbuf", "trap"})


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
    if command.name not in {"xargs", "gxargs"} or not command.feed or not command.feed.of:
        return ()
    script = read_script(command.feed.of)
    words = script.commands[0].words if len(script.commands) == 1 and not (script.broken or script.nested) else ()
    return found_by(words[1:], line) if words and words[0].text in FINDERS else ()


def found_by(words: Sequence[Word], line: str) -> tuple[str, ...]:
    """Return what a search finds, as patterns for git; nothing where it may find what is of value."""
    texts = [word.text for word in words]
    end = next((at for at, text in enumerate(texts) if text in ACTIONS), len(texts))
    known = all(word.known for word in words[:end])
    if texts[:1] not in (["."], ["./"]) or not known or OUT_OF_ORDER.search(line):
        return ()
    names = names_in(texts[1:end])
    if sum(text in ACTIONS for text in texts) > 1 or {"-o", "-or", ","} & set(texts[end:]):
        return ()
    if not names or not all(is_made_again(name) and no_branch(name) for name in names):
        return ()
    return tuple(pattern for name in names for pattern in patterns_of(name, "**/"))


def names_in(conditions: Sequence[str]) -> list[str]:
    """Return the names that are searched for; none where another condition is not understood."""
    names: list[str] = []
    joins, at = 0, 0
    while at < len(conditions):
        text = conditions[at]
        if text == "-name" and at + 1 < len(conditions):
            names.append(conditions[at + 1])
        elif text in {"-o", "-or"}:
            joins += 1
        elif text not in {*NARROWING, *NARROWING_VALUES, "(", ")"}:
            return []
        at += 2 if text in {"-name", *NARROWING_VALUES} else 1
    bracketed = "(" in conditions or not joins
    return names if joins == max(len(names) - 1, 0) and bracketed else []


def no_branch(name: str) -> bool:
    """Return whether git would not take a name for a branch, or nobody would."""
    return name.startswith((".", "_", "*.")) or name == "node_modules"
