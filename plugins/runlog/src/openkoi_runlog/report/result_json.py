"""Format an iteration and its usage for the JSON result."""

from collections.abc import Iterable, Mapping

from openkoi_hookspecs import Usage, events
from openkoi_runlog import IterationView


def share_saved(judgings: Iterable[events.JudgeVoted]) -> float:
    """Return the share of a full judgment's text that was not sent; 0 if nothing was saved."""
    those = list(judgings)
    whole = sum(judging.characters + judging.saved_characters for judging in those)
    return max(0.0, sum(judging.saved_characters for judging in those) / whole) if whole > 0 else 0.0


def format_iteration(number: int, one: IterationView) -> Mapping[str, object]:
    """Return an iteration as an object of the result."""
    return {
        "n": number,
        "score": round_score(one.score),
        "decision": one.decision.action if one.decision else None,
        "eval_mode": one.mode,
        "usage": format_usage(one.usage),
        "cost_usd": round(one.usd, 6),
        "duration_ms": round(one.cost.seconds * 1000),
    }


def format_usage(usage: Usage) -> Mapping[str, int]:
    """Return token counts as an object of the result."""
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "total": usage.total,
    }


def round_score(score: float | None) -> float | None:
    return None if score is None else round(score, 4)
