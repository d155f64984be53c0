"""Read reactions: one to a question answers it, one to the post of a running task stops that task."""

from collections.abc import Sequence

from openkoi_hookspecs import NO, YES

APPROVING, REFUSING = frozenset("\U0001f44d\u2705"), frozenset("\U0001f44e\u274c\U0001f6d1")
VARIANTS = frozenset("\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")  # of shape and of skin tone


def read_reaction(emoji: str) -> str:
    """Return what an emoji means: yes, no, or nothing."""
    sign = "".join(one for one in emoji if one not in VARIANTS)
    return YES if sign in APPROVING else NO if sign in REFUSING else ""


def chosen_by(emoji: str, choices: Sequence[str]) -> str:
    """Return the choice that an emoji stands for; empty if there is none."""
    word = read_reaction(emoji)
    return word if word in choices else ""
