"""Parse the scores of a verdict: a number from 0 to 1 for each dimension of the rubric."""

import re
from collections.abc import Collection, Iterable, Mapping

from openkoi_base.skillfile.evaluator import Rubric, canonical_name
from openkoi_hookspecs import KoiError, Score
from openkoi_hookspecs.lazy_pattern import lazy_pattern

NUMBER = lazy_pattern(r"(?P<value>\d+(?:\.\d+)?)\s*(?:(?P<percent>%)|/\s*(?P<scale>\d+(?:\.\d+)?))?", re.ASCII)
TABLES = ("scores", "dimensions")


class UnreadableError(KoiError):
    """A judge's response is unusable; the message is for the judge."""


def parse_scores(
    found: Mapping[str, object], rubric: Rubric, needed: Collection[str] | None = None
) -> tuple[Score, ...]:
    """Return the scores in the rubric's order with its weights; ignore other names.

    ``needed`` are the keys of the required dimensions; by default all are.
    """
    every = {dimension.key for dimension in rubric.dimensions}
    if needed is not None and not any(name in found for name in TABLES):
        raise UnreadableError("The list of scores is missing.")
    values = group_by_key(find_score_table(found), every)
    wanted = every if needed is None else needed
    missing = [d.name for d in rubric.dimensions if d.key in wanted and d.key not in values]
    if missing:
        raise UnreadableError(f"The score is missing for {', '.join(missing)}.")
    return tuple(Score(d.name, values[d.key], d.weight) for d in rubric.dimensions if d.key in values)


def find_score_table(found: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    """Return the scores: under their key, as a list of dimensions, or in the object itself."""
    scores = next((found[name] for name in TABLES if name in found), found)
    if isinstance(scores, list):
        return [(dimension_name(row), row) for row in scores if isinstance(row, dict)]
    return scores.items() if isinstance(scores, dict) else ()


def dimension_name(row: Mapping[str, object]) -> str:
    """Return the dimension of a row."""
    return str(row.get("dimension") or row.get("name") or "")


def group_by_key(rows: Iterable[tuple[str, object]], wanted: set[str]) -> dict[str, float]:
    """Return the scores by dimension; raise UnreadableError for one that is not a number, and when two differ."""
    values: dict[str, float] = {}
    for name, raw in rows:
        key = canonical_name(str(name))
        if key not in wanted:
            continue
        value = parse_score(name, raw)
        if values.setdefault(key, value) != value:
            raise UnreadableError(f"There are two different scores for {name}.")
    return values


def parse_score(name: str, raw: object) -> float:
    """Parse a number, a text with a plain scale (``8/10``, ``80%``, ``0.8``), or an object with a score."""
    inner = raw.get("score", raw.get("value")) if isinstance(raw, dict) else raw
    value = parse_scaled(inner) if isinstance(inner, str) else inner
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UnreadableError(f"The score for {name} is {str(inner)[:40]!r}, which is not a number from 0.0 to 1.0.")
    return float(value)


def parse_scaled(text: str) -> float | None:
    """Parse a number with its scale."""
    found = NUMBER.fullmatch(text.strip())
    if not found:
        return None
    scale = 100.0 if found["percent"] else float(found["scale"] or 1)
    return float(found["value"]) / scale if scale else None
