"""A task, its limits, and the quality threshold for its result."""

from dataclasses import KW_ONLY, replace
from typing import Self

from .agent import Agent
from .content import File, Image
from .lazy_dataclass import dataclass
from .model import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a task stops, and which quality it aims for. Zero iterations: one execution, no evaluation."""

    iterations: int = 3
    cycles: int = 30
    tokens: int = 200_000
    usd: float = 2.00
    seconds: float = 300.0
    calls: int = 300
    quality_threshold: float = 0.8
    min_improvement: float = 0.05
    max_regression: float | None = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a task has used so far, including hooks, judges, learners and sub-tasks.

    ``tokens`` are all tokens, as vendors count them. ``budget_tokens`` are what token limits apply to: a cached token
    counts as the share of an input token that it costs.
    """

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    calls: int = 0
    budget_tokens: int = 0

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            tokens=self.tokens + other.tokens,
            usd=self.usd + other.usd,
            seconds=self.seconds + other.seconds,
            calls=self.calls + other.calls,
            budget_tokens=self.budget_tokens + other.budget_tokens,
        )

    def __sub__(self, other: Self) -> Self:
        return replace(
            self,
            tokens=self.tokens - other.tokens,
            usd=self.usd - other.usd,
            seconds=self.seconds - other.seconds,
            calls=self.calls - other.calls,
            budget_tokens=self.budget_tokens - other.budget_tokens,
        )


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do, in the user's words.

    ``context`` was piped in; ``parent`` is the run a sub-task belongs to. ``project`` separates one body of work from
    another: what is remembered of a project is not shown in others. Without an ``agent``, the task runs as configured.
    ``workspace`` is its folder, if that is not OpenKoi's default. If ``limits`` is None, the limits configured for its
    folder apply. With ``judge=False``, no judge is asked, and checks alone decide. ``history`` are the messages of a
    conversation before it; the first is the user's, and each tool call in it has its result. ``parts`` are the images
    and files that belong to the task. Both are sent to the model, and limited to 20,000,000 bytes of images and files;
    content that cannot be sent raises ConfigError when the task begins.
    """

    text: str
    _: KW_ONLY
    context: str = ""
    category: str = ""
    channel: str = "cli"
    session: str = ""
    project: str = ""
    parent: str = ""
    limits: Limits | None = None
    agent: Agent | None = None
    workspace: str = ""
    judge: bool = True
    history: tuple[Message, ...] = ()
    parts: tuple[Image | File, ...] = ()

    @property
    def effective_limits(self) -> Limits:
        """The limits of the task; the class defaults if it has none. A task that has started has its own."""
        return self.limits or Limits()
