"""Add up what the model calls of a run cost (usage), by model and by phase."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import TypeVar

from openkoi_base.counts import format_count
from openkoi_hookspecs import Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .formatting import format_dollars, format_tokens

K = TypeVar("K")


class Phase(StrEnum):
    """The step of a task that a call was made in; ``DECIDE`` lasts from a judgment to the next iteration."""

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
        """Format as ``1.2k tokens, $0.01``."""
        return f"{format_tokens(self.usage.total)} tokens, {format_dollars(self.usd)}"


NO_COST = ModelCost()


@dataclass(frozen=True, slots=True)
class ModelCharge:
    """A paid call: time, model, phase and cost."""

    at: str
    model: str
    phase: Phase
    cost: ModelCost


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a run, by model and by phase."""

    by_model: Mapping[str, ModelCost] = field(default_factory=dict)
    by_phase: Mapping[Phase, ModelCost] = field(default_factory=dict)

    @property
    def overall(self) -> ModelCost:
        """The sum over all models."""
        return sum(self.by_model.values(), NO_COST)

    @property
    def total(self) -> float:
        """The sum in US dollars."""
        return self.overall.usd

    @property
    def tokens(self) -> int:
        """All tokens, cached ones included."""
        return self.overall.usage.total

    @property
    def summary(self) -> str:
        """The sum in a line: ``$0.32 total (2 models)``."""
        return f"{format_dollars(self.total)} total ({format_count(len(self.by_model), 'model')})"

    @property
    def lines(self) -> list[str]:
        """The sums by phase and by model, one line each."""
        by_phase = [f"{phase} {format_dollars(cost.usd)}" for phase, cost in self.by_phase.items()]
        by_model = [f"{model} {format_dollars(cost.usd)}" for model, cost in self.by_model.items()]
        parts = (("By phase", by_phase), ("By model", by_model))
        return [f"  {name}: {', '.join(costs)}" for name, costs in parts if costs]


def sum_charges(charges: Iterable[ModelCharge]) -> Costs:
    """Add up charges; phases in the order of a task, models in order of first use."""
    paid = list(charges)
    by_phase = sum_costs((charge.phase, charge.cost) for charge in paid)
    ordered = {phase: by_phase[phase] for phase in Phase if phase in by_phase}
    return Costs(sum_costs((charge.model, charge.cost) for charge in paid), ordered)


def sum_costs(costs: Iterable[tuple[K, ModelCost]]) -> dict[K, ModelCost]:
    """Return the sum for each key."""
    sums: dict[K, ModelCost] = {}
    for key, cost in costs:
        sums[key] = sums.get(key, NO_COST) + cost
    return sums
