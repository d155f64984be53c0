"""Resolve variables in the words of a line. Those of the environment count as known if the line does not set them."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .shell import FROM_ENVIRONMENT, ShellScript
from .shell_words import Word

VARIABLE = lazy_pattern(r"\$\{?!?(\w+)")
PLAIN = lazy_pattern(r"[\w./ =:@+-]+")
READ = lazy_pattern(r"\$\{?(\w+)\}?")
DEFAULT = lazy_pattern(r"\$\{\w+:?[-=]([\w./-]+)\}")
ENDING = lazy_pattern(r"\.(exe|cmd|bat|com)$")


def is_from_environment(word: Word, line: str) -> bool:
    """Return whether a program is in a folder named by a variable that this line does not set."""
    match = FROM_ENVIRONMENT.match(word.text)
    return match is not None and not is_mentioned(match[1], line)


def is_mentioned(variable: str, line: str) -> bool:
    """Return whether a line uses a variable other than to read it."""
    return re.search(rf"(?<![\w$-]){re.escape(variable)}(?!\w)", line.replace("${", "$")) is not None


def is_uncertain(word: Word, line: str) -> bool:
    """Return whether a word contains more than environment variables that this line does not touch."""
    made = "$(" in word.text or "`" in word.text
    return not word.is_known and (made or any(is_mentioned(name, line) for name in VARIABLE.findall(word.text)))


def find_program_name(word: Word, line: str) -> str:
    """Return the name of a program; empty if it is known only at run time."""
    if word.has_wildcards or not word.text:
        return ""
    if default := DEFAULT.fullmatch(word.text):
        return posixpath.basename(default[1]).lower()
    if not word.is_known and not is_from_environment(word, line):
        return ""
    return ENDING.sub("", posixpath.basename(word.text).lower())


def list_choices(script: ShellScript, line: str) -> dict[str, tuple[Word, ...]]:
    """Return the values of each variable that the line sets in one place: the words of a loop, or one value."""
    given = [*script.loops, *((name, (value,)) for name, value in script.assignments)]
    return {name: words for name, words in given if name and count_mentions(name, line) == 1}


def resolve_program(program: Word, choices: Mapping[str, tuple[Word, ...]]) -> tuple[Word, ...]:
    """Return the words of a variable that is used as a program and set in one place."""
    match = READ.fullmatch(program.text)
    values = choices.get(match[1], ()) if match and not program.is_known else ()
    text = DEFAULT.sub(r"\1", values[0].text) if len(values) == 1 else ""
    return tuple(map(Word, text.split())) if PLAIN.fullmatch(text) else ()


def count_mentions(name: str, line: str) -> int:
    """Return how often a line names a variable other than to read it."""
    return len(re.findall(rf"(?<![\w$-]){re.escape(name)}(?!\w)", line.replace("${", "$")))


def expand_choices(word: Word, choices: Mapping[str, tuple[Word, ...]]) -> Iterator[Word]:
    """Yield a word with the variables replaced that are set in one place; the word itself if they are unknown."""
    match = READ.search(word.text) if not word.is_known else None
    if match is None or match[1] not in choices:
        yield word
        return
    before, after = word.text[: match.start()], word.text[match.end() :]
    for one in choices[match[1]]:
        text = before + one.text + after
        filled = replace(
            word,
            text=text,
            has_wildcards=word.has_wildcards or one.has_wildcards,
            is_known=one.is_known and "$" not in before + after,
        )
        yield from expand_choices(filled, choices) if one.is_known else (word,)
