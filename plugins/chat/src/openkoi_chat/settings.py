"""What the user has set for the tasks of this chat: models, permission mode, iterations, quality, budget."""

from dataclasses import replace
from enum import StrEnum

from openkoi_hookspecs import Agent, Limits
from openkoi_hookspecs.lazy_dataclass import dataclass

READERS = ("read_*", "list_*", "search*", "find_*", "read_history", "load_skill*")
PLANNER = Agent(
    name="plan",
    instructions="Plan only: read what you need, then say step by step what you would change and why. Change nothing.",
    tools=READERS,
)
ASK_ALWAYS = {"hooks.guard.approvals": "always"}


class Mode(StrEnum):
    """What a task may do without asking, in the order of Shift-Tab."""

    ASK = "ask"
    EDITS = "edits"
    PLAN = "plan"

    @property
    def next(self) -> "Mode":
        """The next mode."""
        modes = [*Mode]
        following: Mode = modes[(modes.index(self) + 1) % len(modes)]
        return following

    @property
    def summary(self) -> str:
        """What it means, for the line below the input."""
        return MODE_SUMMARIES[self]


MODE_SUMMARIES = {
    Mode.ASK: "asks before each change",
    Mode.EDITS: "edits freely, asks if risky",
    Mode.PLAN: "plans, changes nothing",
}


@dataclass(slots=True)
class ChatSettings:
    """Settings of this chat; the configuration has the rest. ``flags`` are options of the command line by name.

    ``asks_always``: OpenKoi was opened with the mode ``ask``; ``mode`` is that of the next task.
    """

    model: str = ""
    executor: str = ""
    evaluator: str = ""
    iterations: int | None = None
    quality: float | None = None
    budget: float | None = None
    mode: Mode = Mode.EDITS
    asks_always: bool = False

    @property
    def agent(self) -> Agent | None:
        """The agent of the next task, if it differs from the configuration."""
        return PLANNER if self.mode is Mode.PLAN else None

    @property
    def approvals(self) -> dict[str, object]:
        """The settings about approvals with which OpenKoi is opened."""
        return dict(ASK_ALWAYS) if self.mode is Mode.ASK else {}

    @property
    def flags(self) -> dict[str, object]:
        """The models with which OpenKoi is opened."""
        named = {"model": self.model, "executor": self.executor, "evaluator": self.evaluator}
        return {name: value for name, value in named.items() if value}

    def limits(self, configured: Limits) -> Limits | None:
        """Return the limits of a task; None if they are as configured."""
        wanted = {"iterations": self.iterations, "quality_threshold": self.quality, "usd": self.budget}
        changed = {name: value for name, value in wanted.items() if value is not None}
        return replace(configured, **changed) if changed else None  # type: ignore[arg-type]  # the names are its fields
