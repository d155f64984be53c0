"""Match commands against the user's permission rules: patterns of what to allow, ask about, or deny.

A pattern is the beginning of a command, word by word; ``*`` stands for any letters of a word. It is compared with the
words that a program would get, never with the line, so that nothing can be hidden from it.
"""

import posixpath
import shlex
from collections.abc import Sequence
from fnmatch import fnmatchcase

from openkoi_hookspecs import Allow, Ask, ConfigError, Deny, Permission
from openkoi_hookspecs.lazy_dataclass import dataclass

from .shell_words import Word

Pattern = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PermissionRules:
    """The patterns in ``[hooks.guard]``. Deny beats ask, ask beats allow."""

    allow: tuple[Pattern, ...] = ()
    ask: tuple[Pattern, ...] = ()
    deny: tuple[Pattern, ...] = ()
    mounted: frozenset[str] = frozenset()

    def find_permission(self, words: Sequence[Word]) -> type[Permission] | None:
        """Return the rule in the settings for a simple command, or None if none matches."""
        if any(may_match(pattern, words) for pattern in self.deny):
            return Deny
        if any(may_match(pattern, words) for pattern in self.ask):
            return Ask
        return Allow if any(surely_matches(pattern, words) for pattern in self.allow) else None


def parse_patterns(key: str, texts: Sequence[str]) -> tuple[Pattern, ...]:
    """Parse the patterns of a setting."""
    return tuple(parse_pattern(key, text) for text in texts)


def parse_pattern(key: str, text: str) -> Pattern:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"[hooks.guard] {key}: {text!r} cannot be parsed ({error}). Close its quotes.") from None
    if not words:
        raise ConfigError(f"[hooks.guard] {key} contains an empty pattern. Remove it, or name a program.")
    return words


def may_match(pattern: Pattern, words: Sequence[Word]) -> bool:
    """Return whether a pattern may match a command, whatever the path of its program."""
    if len(words) < len(pattern):
        return False
    named = [posixpath.basename(words[0].text), *(word.text for word in words[1:])]
    texts = [word.text for word in words]
    return any(all(fnmatchcase(a, b) for a, b in zip(one, pattern, strict=False)) for one in (texts, named))


def surely_matches(pattern: Pattern, words: Sequence[Word]) -> bool:
    """Return whether a pattern matches a command, with nothing computed in it."""
    if len(words) < len(pattern):
        return False
    return all(word.is_known and fnmatchcase(word.text, one) for word, one in zip(words, pattern, strict=False))
