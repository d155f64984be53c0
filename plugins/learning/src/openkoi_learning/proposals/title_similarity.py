"""Compare titles by their words."""

import re

from openkoi_hookspecs.lazy_pattern import lazy_pattern

WORD = lazy_pattern(r"[^\W\d_]{3,}")
FUNCTION_WORDS = """
about after also and any are before but can could does each for from had has have into its may more most not our should
some such than that the their them then there these they this too use used was were what when where which will with
would you your
"""
STOP_WORDS = frozenset(FUNCTION_WORDS.split())
MIN_SHARED_WORDS = 0.5  # share of the words of two titles that both contain if they report one fault (estimate)


def similar_titles(one: str, other: str) -> bool:
    """Return whether two titles share at least half of their significant words."""
    mine, theirs = significant_words(one), significant_words(other)
    return bool(mine and theirs) and len(mine & theirs) / len(mine | theirs) >= MIN_SHARED_WORDS


def significant_words(text: str) -> frozenset[str]:
    """Return the significant words, without common endings."""
    found = (word.casefold() for word in WORD.findall(text))
    return frozenset(re.sub(r"(?:ies|es|s|ed|ing)$", "", word) for word in found if word not in STOP_WORDS)
