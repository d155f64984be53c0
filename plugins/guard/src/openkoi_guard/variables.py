"""Variables of the environment in the words of a line: their values count as known where the line does not set them."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from .shell import FROM_ENVIRONMENT, Script
from .words import Word

VARIABLE = re.compile(r"\$\{?!?(\w+)")
PLAIN = re.compile(r"[\w./ =:@+-]+")
READ = re.compile(r"\$\{?(\w+)\}?")
DEFAULT = re.compile(r"\$\{\w+:?[-=]([\w./-]+)\}")
ENDING = re.compile(r"\.(exe|cmd|bat|com)$")


def from_environment(word: Word, line: str) -> bool:
    """Return whether a program lies in a folder that a variable names which this line does not set."""
    match = FROM_ENVIRONMENT.match(word.text)
    return match is not None and not mentioned(match[1], line)


def mentioned(variable: str, line: str) -> bool:
    """Return whether a line does more with a variable than read it."""
    return re.search(rf"(?<![\w$-]){re.escape(variable)}(?!\w)", line.replace("${", "$")) is not None


def uncertain(word: Word, line: str) -> bool:
    """Return whether a word holds more than values of the environment that this line does not touch."""
    made = "$(" in word.text or "`" in word.text
    return not word.known and (made or any(mentioned(name, line) for name in VARIABLE.findall(word.text)))


def program_name(word: Word, line: str) -> str:
    """Return the name of a program; empty if only running would show it."""
    if word.glob or not word.text:
        return ""
    if default := DEFAULT.fullmatch(word.text):
        return posixpath.basename(default[1]).lower()
    if not word.known and not from_environment(word, line):
        return ""
    return ENDING.sub("", posixpath.basename(word.text).lower())


def chosen(script: Script, line: str) -> dict[str, tuple[Word, ...]]:
    """Return what each variable may be that the line sets in one place: the words of a loop, or one value."""
    given = [*script.loops, *((name, (value,)) for name, value in script.assigned)]
    return {name: words for name, words in given if name and mentions(name, line) == 1}


def spelled(program: Word, choices: Mapping[str, tuple[Word, ...]]) -> tuple[Word, ...]:
    """Return the words that a variable in the place of a program means, when the line sets it in one place."""
    match = READ.fullmatch(program.text)
    values = choices.get(match[1], ()) if match and not program.known else ()
    text = DEFAULT.sub(r"\1", values[0].text) if len(values) == 1 else ""
    return tuple(map(Word, text.split())) if PLAIN.fullmatch(text) else ()


def mentions(name: str, line: str) -> int:
    """Return how often a line names a variable other than to read it."""
    return len(re.findall(rf"(?<![\w$-]){re.escape(name)}(?!\w)", line.replace("${", "$")))


def settled(word: Word, choices: Mapping[str, tuple[Word, ...]]) -> Iterator[Word]:
    """Yield what a word may be, with the variables in it that are set in one place; itself where that is not known."""
    match = READ.search(word.text) if not word.known else None
    if match is None or match[1] not in choices:
        yield word
        return
    before, after = word.text[: match.start()], word.text[match.end() :]
    for one in choices[match[1]]:
        text = before + one.text + after
        filled = replace(word, text=text, glob=word.glob or one.glob, known=one.known and "$" not in before + after)
        yield from settled(filled, choices) if one.known else (word,)
