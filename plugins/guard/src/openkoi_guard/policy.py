"""What a person has settled beforehand: commands that never ask, always ask, or never run.

A pattern is the beginning of a command, word by word; ``*`` stands for any letters of a word. It is held against the
words that a program would get, never against the line, so that nothing can be hidden behind it.
"""

import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from openkoi_hookspecs import Allow, Ask, ConfigError, Deny, Permission

from .words import Word

Pattern = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """Patterns of commands. Deny beats ask, ask beats allow."""

    allow: tuple[Pattern, ...] = ()
    ask: tuple[Pattern, ...] = ()
    deny: tuple[Pattern, ...] = ()
    mounted: frozenset[str] = frozenset()

    def verdict_on(self, words: Sequence[Word]) -> type[Permission] | None:
        """What is settled for a simple command; None if nothing is."""
        if any(means(pattern, words) for pattern in self.deny):
            return Deny
        if any(means(pattern, words) for pattern in self.ask):
            return Ask
        return Allow if any(surely(pattern, words) for pattern in self.allow) else None


def patterns(key: str, given: Sequence[str]) -> tuple[Pattern, ...]:
    """Read the patterns of a setting."""
    return tuple(pattern(key, text) for text in given)


def pattern(key: str, text: str) -> Pattern:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"[hooks.guard] {key}: {text!r} cannot be read ({error}). Close its quotes.") from None
    if not words:
        raise ConfigError(f"[hooks.guard] {key} holds an empty pattern. Take it out, or name a program.")
    return words


def means(pattern: Pattern, words: Sequence[Word]) -> bool:
    """Whether a pattern may mean a command: its program by any path."""
    if len(words) < len(pattern):
        return False
    named = [posixpath.basename(words[0].text), *(word.text for word in words[1:])]
    texts = [word.text for word in words]
    return any(all(fnmatchcase(a, b) for a, b in zip(one, pattern, strict=False)) for one in (texts, named))


def surely(pattern: Pattern, words: Sequence[Word]) -> bool:
    """Whether a pattern means a command, with nothing computed in what it covers."""
    if len(words) < len(pattern):
        return False
    return all(word.known and fnmatchcase(word.text, one) for word, one in zip(words, pattern, strict=False))
