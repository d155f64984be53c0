"""What calls of models cost, by model and by the phase they were made in. Pure; knows sums, and no event or run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from openkoi_hookspecs import Usage

from .figures import dollars, plural, tokens_text

K = TypeVar("K")


class Phase(StrEnum):
    """What a task was at when a model was asked. ``DECIDE`` is all between a judgement and the next attempt."""

    RECALL = "recall"
    PLAN = "plan"
    EXECUTE = "execute"
    COMPACTION = "compaction"
    EVALUATE = "evaluate"
    DECIDE = "decide"
    LEARN = "learn"


@dataclass(frozen=True, slots=True)
class ModelCost:
    """Dollars and tokens of any number of calls."""

    usd: float = 0.0
    usage: Usage = Usage()
    calls: int = 0

    def __add__(self, other: "ModelCost") -> "ModelCost":
        return ModelCost(self.usd + other.usd, self.usage + other.usage, self.calls + other.calls)

    @property
    def text(self) -> str:
        """``1.2k tokens, $0.01``."""
        return f"{tokens_text(self.usage.total)} tokens, {dollars(self.usd)}"


NOTHING = ModelCost()


@dataclass(frozen=True, slots=True)
class ModelCharge:
    """One paid call: when, who answered, what it was for, and what it cost."""

    at: str
    model: str
    phase: Phase
    cost: ModelCost


@dataclass(frozen=True, slots=True)
class Costs:
    """What was spent, and on what."""

    by_model: Mapping[str, ModelCost] = field(default_factory=dict)
    by_phase: Mapping[Phase, ModelCost] = field(default_factory=dict)

    @property
    def whole(self) -> ModelCost:
        """All of it."""
        return sum(self.by_model.values(), NOTHING)

    @property
    def total(self) -> float:
        """Dollars."""
        return self.whole.usd

    @property
    def tokens(self) -> int:
        """All tokens, cached ones too."""
        return self.whole.usage.total

    def over(self, limit: float) -> bool:
        """Whether a limit in dollars is reached."""
        return self.total >= limit

    @property
    def summary(self) -> str:
        """``$0.32 total (2 models)``."""
        return f"{dollars(self.total)} total ({plural(len(self.by_model), 'model')})"

    @property
    def lines(self) -> list[str]:
        """The same with its parts, for people who want to know."""
        by_phase = [f"{phase} {dollars(cost.usd)}" for phase, cost in self.by_phase.items()]
        by_model = [f"{model} {dollars(cost.usd)}" for model, cost in self.by_model.items()]
        parts = (("By phase", by_phase), ("By model", by_model))
        return [f"  {name}: {', '.join(told)}" for name, told in parts if told]


def costs_of(charges: Iterable[ModelCharge]) -> Costs:
    """Add up charges; phases in the order of a task, models as they were first asked."""
    paid = list(charges)
    by_phase = sum_costs((charge.phase, charge.cost) for charge in paid)
    ordered = {phase: by_phase[phase] for phase in Phase if phase in by_phase}
    return Costs(sum_costs((charge.model, charge.cost) for charge in paid), ordered)


def sum_costs(costs: Iterable[tuple[K, ModelCost]]) -> dict[K, ModelCost]:
    """Return the sum of each kind."""
    sums: dict[K, ModelCost] = {}
    for key, cost in costs:
        sums[key] = sums.get(key, NOTHING) + cost
    return sums
