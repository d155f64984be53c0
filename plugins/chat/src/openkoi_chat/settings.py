"""What the user has set for the tasks of this chat: models, iterations, quality, budget."""

from dataclasses import replace

from openkoi_hookspecs import Agent, Limits
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class ChatSettings:
    """Settings of this chat; what is not set is as configured. ``flags`` are options of the command line by name."""

    model: str = ""
    executor: str = ""
    evaluator: str = ""
    iterations: int | None = None
    quality: float | None = None
    budget: float | None = None
    agent: Agent | None = None

    @property
    def flags(self) -> dict[str, object]:
        """The models, as OpenKoi is opened with."""
        named = {"model": self.model, "executor": self.executor, "evaluator": self.evaluator}
        return {name: value for name, value in named.items() if value}

    def limits(self, configured: Limits) -> Limits | None:
        """Return the limits of a task; None where they are as configured."""
        wanted = {"iterations": self.iterations, "quality_threshold": self.quality, "usd": self.budget}
        changed = {name: value for name, value in wanted.items() if value is not None}
        return replace(configured, **changed) if changed else None  # type: ignore[arg-type]  # the names are its fields
