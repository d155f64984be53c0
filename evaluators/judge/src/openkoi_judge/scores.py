"""Read the scores of a verdict: each dimension of the rubric, each a number from 0 to 1, or none at all."""

import re
from collections.abc import Collection, Iterable, Mapping

from openkoi_hookspecs import KoiError, Score
from openkoi_skillfile import Rubric, canonical

NUMBER = re.compile(r"(?P<value>\d+(?:\.\d+)?)\s*(?:(?P<percent>%)|/\s*(?P<scale>\d+(?:\.\d+)?))?", re.ASCII)
TABLES = ("scores", "dimensions")


class Unreadable(KoiError):
    """What a judge said cannot be used; the reason is a sentence that the judge can act upon."""


def read_scores(
    found: Mapping[str, object], rubric: Rubric, needed: Collection[str] | None = None
) -> tuple[Score, ...]:
    """Read them in the rubric's order, with its weights; what the rubric does not name is ignored.

    ``needed`` are the keys of the dimensions that have to be there; without it, all have to be.
    """
    every = {dimension.key for dimension in rubric.dimensions}
    if needed is not None and not any(name in found for name in TABLES):
        raise Unreadable("There is no list of scores.")
    said = by_key(table(found), every)
    wanted = every if needed is None else needed
    missing = [d.name for d in rubric.dimensions if d.key in wanted and d.key not in said]
    if missing:
        raise Unreadable(f"There is no score for {', '.join(missing)}.")
    return tuple(Score(d.name, number(d.name, said[d.key]), d.weight) for d in rubric.dimensions if d.key in said)


def table(found: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    """Find where the scores stand: under their name, as a list of dimensions, or in the object itself."""
    scores = next((found[name] for name in TABLES if name in found), found)
    if isinstance(scores, list):
        return [(named(row), row) for row in scores if isinstance(row, dict)]
    return scores.items() if isinstance(scores, dict) else ()


def named(row: Mapping[str, object]) -> str:
    """The dimension that a row of a list is about."""
    return str(row.get("dimension") or row.get("name") or "")


def by_key(rows: Iterable[tuple[str, object]], wanted: set[str]) -> dict[str, object]:
    """Sort the rows by dimension; two that differ on one dimension are no judgement of it."""
    said: dict[str, object] = {}
    for name, value in rows:
        key = canonical(str(name))
        if key in wanted and said.setdefault(key, value) != value:
            raise Unreadable(f"There are two different scores for {name}.")
    return said


def number(name: str, raw: object) -> float:
    """Take a number, a text whose scale is plain (``8/10``, ``80%``, ``0.8``), or a small object that holds one."""
    inner = raw.get("score", raw.get("value")) if isinstance(raw, dict) else raw
    value = scaled(inner) if isinstance(inner, str) else inner
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Unreadable(f"The score for {name} is {str(inner)[:40]!r}, which is not a number from 0.0 to 1.0.")
    return float(value)


def scaled(text: str) -> float | None:
    """Read a number with the scale that is written beside it."""
    found = NUMBER.fullmatch(text.strip())
    if not found:
        return None
    scale = 100.0 if found["percent"] else float(found["scale"] or 1)
    return float(found["value"]) / scale if scale else None
