"""An agent's definition: its instructions, tools, and the conditions that end its work."""

from enum import StrEnum
from typing import TypeAlias

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TextIncludes:
    """Done when the model's words hold this text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturned:
    """Done when a tool brought this: both, where an exit code and a text are given; any result, where neither is."""

    tool: str
    exit_code: int | None = None
    contains: str = ""


@dataclass(frozen=True, slots=True)
class BudgetExhausted:
    """Done when the agent's dollars are used up: the next call would not fit any more."""


Condition: TypeAlias = TextIncludes | ToolReturned | BudgetExhausted


class Strategy(StrEnum):
    """How a team works: one after another, all at once, against each other, or again until it is good."""

    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    DEBATE = "debate"
    ITERATIVE = "iterative"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Agents that do a task together. ``rounds`` bounds a debate and a repetition."""

    strategy: Strategy
    members: "tuple[Agent, ...]"
    rounds: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who does a task. A field that is left out leaves things as they are configured.

    ``model`` is ``provider/model``. ``tools`` and ``approvals`` are names of tools, patterns will do: those that may be
    used, and those that the user allows call by call. ``protected`` are globs of paths that are written to only if the
    user allows it. The first of the ``conditions`` that holds after a cycle ends the work. ``context`` is in tokens:
    at four fifths of it the history is made shorter by ``compactor``. ``cycles`` and ``usd`` bound a team's member. A
    ``worker`` does the work in place of the inner loop; a ``team`` is for the worker of that name.
    """

    name: str
    version: str = ""
    instructions: str = ""
    model: str = ""
    tools: tuple[str, ...] = ("*",)
    approvals: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    context: int = 0
    compactor: str = ""
    cycles: int | None = None
    usd: float | None = None
    worker: str = ""
    team: Team | None = None
