"""Suggest a name for a mistyped one."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches


def suggest_key(key: str, known: Collection[str], *, cutoff: float) -> str:
    """Suggest the nearest setting, or the only one in the table with a similar word, as for ``qualty``."""
    if near := suggest(key, known, cutoff=cutoff):
        return near
    table, _, word = key.rpartition(".")
    names = {name: name.rpartition(".")[2] for name in known if name.startswith(f"{table}.") or not table}
    found = [name for name, last in names.items() if word and last.startswith(word)] or [
        name for name, last in names.items() if get_close_matches(word, last.split("_"), n=1, cutoff=cutoff)
    ]
    return f" Did you mean {found[0]}?" if len(found) == 1 else ""


def suggest(word: str, known: Iterable[str], *, around: tuple[str, str] = ("", ""), cutoff: float = 0.6) -> str:
    """Suggest the nearest known word, between ``around``; whole keys are similar, so they need a higher cutoff."""
    before, behind = around
    near = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f" Did you mean {before}{near[0]}{behind}?" if near else ""
