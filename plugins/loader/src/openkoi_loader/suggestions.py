"""Suggest what a mistyped name was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggest(word: str, known: Iterable[str], *, around: tuple[str, str] = ("", ""), cutoff: float = 0.6) -> str:
    """Suggest the nearest known word, between ``around``; whole keys resemble each other and need a higher cutoff."""
    before, behind = around
    near = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f" Did you mean {before}{near[0]}{behind}?" if near else ""
