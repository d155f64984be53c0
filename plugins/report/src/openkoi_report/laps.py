"""One iteration of a run as its records tell it. Knows events; knows no other iteration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openkoi_hookspecs import Evaluation, Facts, Mode, Ruling, Spend, Usage, Work, events

from .judging import Judging


@dataclass(slots=True)
class Lap:
    """What was used, made, judged and decided in it."""

    usage: Usage = Usage()
    usd: float = 0.0
    work: Work | None = None
    evaluation: Evaluation | None = None
    ruling: Ruling | None = None
    facts: Facts = Facts()
    spent: Spend = Spend()
    mode: Mode = Mode.SKIPPED
    terminated_by: str = ""
    judgings: list[Judging] = field(default_factory=list)

    def pay(self, paid: events.Paid) -> None:
        """Count one call."""
        self.usage += paid.usage
        self.usd += paid.usd

    def add(self, other: "Lap") -> None:
        """Add the usage and cost of another one."""
        self.usage += other.usage
        self.usd += other.usd

    @property
    def score(self) -> float | None:
        """The judges' score; logs of earlier versions have that of a reused evaluation in the facts alone."""
        return self.evaluation.score if self.evaluation else self.facts.judged

    @property
    def spared(self) -> float:
        """The share of a full judgement's questions that was spared; nought where none was, or more was asked."""
        whole = sum(judging.asked + judging.spared for judging in self.judgings)
        return max(0.0, sum(judging.spared for judging in self.judgings) / whole) if whole > 0 else 0.0

    def gone_on(self, later: "Lap") -> "Lap":
        """This one as it was resumed, after it had waited for the user or could not be judged."""
        work, ended = later.work or self.work, later.terminated_by or self.terminated_by
        return replace(later, work=work, terminated_by=ended, usage=self.usage + later.usage, usd=self.usd + later.usd)


def iteration(number: int, lap: Lap) -> Mapping[str, object]:
    """It as an object of the result."""
    return {
        "n": number,
        "score": rounded(lap.score),
        "decision": lap.ruling.decision if lap.ruling else None,
        "eval_mode": lap.mode,
        "usage": counted(lap.usage),
        "cost_usd": round(lap.usd, 6),
        "duration_ms": round(lap.spent.seconds * 1000),
    }


def counted(usage: Usage) -> Mapping[str, int]:
    """Tokens as an object of the result."""
    return {
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "total": usage.total,
    }


def rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)
