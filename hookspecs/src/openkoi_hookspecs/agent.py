"""An agent's definition: its instructions, tools, and the conditions that end its work."""

from enum import StrEnum
from typing import TypeAlias

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TextIncludes:
    """Done when the model's answer contains this text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturned:
    """Done when a tool returned this exit code, this text, or both; without either, any result will do."""

    tool: str
    exit_code: int | None = None
    contains: str = ""


@dataclass(frozen=True, slots=True)
class BudgetExhausted:
    """Done when the agent's dollars are used up, so that the next call would not fit."""


Condition: TypeAlias = TextIncludes | ToolReturned | BudgetExhausted


class Strategy(StrEnum):
    """How a team works: in sequence, in parallel, in a debate, or repeatedly until the result is good."""

    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"
    DEBATE = "debate"
    ITERATIVE = "iterative"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Agents that work on a task together. ``rounds`` limits a debate and a repetition."""

    strategy: Strategy
    members: "tuple[Agent, ...]"
    rounds: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent that does a task. Omitted fields keep what is configured.

    ``model`` is ``provider/model``. ``tools`` are names or patterns of the tools that may be used; ``approvals`` of the
    tools whose calls the user must approve one by one. ``protected`` are globs of paths that may be written to only
    with the user's approval. The work ends when any of the ``conditions`` is met at the end of a cycle. ``context`` is
    the context window in tokens; when four fifths of it are full, ``compactor`` shortens the history. ``cycles`` and
    ``usd`` limit a member of a team. A ``worker`` does the work in place of the inner loop; a ``team`` is for the
    worker of that name.
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
