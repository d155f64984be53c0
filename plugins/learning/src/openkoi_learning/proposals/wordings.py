"""Return whether two titles say the same in other words."""

import re

WORD = re.compile(r"[^\W\d_]{3,}")
FUNCTION_WORDS = """
about after also and any are before but can could does each for from had has have into its may more most not our should
some such than that the their them then there these they this too use used was were what when where which will with
would you your
"""
SILENT = frozenset(FUNCTION_WORDS.split())
MUCH = 0.5


def alike(one: str, other: str) -> bool:
    """Whether they share at least half of the words that say something."""
    mine, theirs = words(one), words(other)
    return bool(mine and theirs) and len(mine & theirs) / len(mine | theirs) >= MUCH


def words(text: str) -> frozenset[str]:
    """The words that say something, without the endings that change most."""
    found = (word.casefold() for word in WORD.findall(text))
    return frozenset(re.sub(r"(?:ies|es|s|ed|ing)$", "", word) for word in found if word not in SILENT)
