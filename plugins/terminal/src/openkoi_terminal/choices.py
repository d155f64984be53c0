"""Find the numbered choice that a user has typed: its number or its key and nothing else."""

from collections.abc import Sequence

QUIET_SECONDS = 0.3  # seconds without a key before a question takes one: a user who is typing stops in that time


def find_choice(typed: str, keys: Sequence[str]) -> int | None:
    """Return the index of the choice whose number or key was typed, without anything else; None for a message."""
    word = typed.strip().lower()
    return next((place for place, key in enumerate(keys) if word and word in (str(place + 1), key)), None)
