"""Describe a run and OpenKoi to a plugin's process: their fields, without their methods."""

from pathlib import Path
from typing import Any

from openkoi_hookspecs import Cost, Iteration, Koi, Limits, Run, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

RUN_METHODS = ("search", "ask", "solve", "chat", "execute", "list_tools", "call", "emit")


@dataclass(frozen=True, slots=True)
class KoiFacts:
    """The facts about OpenKoi for a plugin in a separate process."""

    workspace: Path
    session: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts about a run for a plugin in a separate process."""

    id: str
    outermost: str
    task: Task
    limits: Limits
    cost: Cost
    iterations: tuple[Iteration, ...]
    workspace: Path
    koi: KoiFacts


def describe_run(run: Run) -> RunFacts:
    """Return the facts about a run."""
    return RunFacts(
        run.id,
        run.outermost,
        run.task,
        run.limits,
        run.cost,
        tuple(run.iterations),
        run.workspace,
        describe_koi(run.koi),
    )


def describe_koi(koi: Koi) -> KoiFacts:
    """Return the facts about OpenKoi."""
    return KoiFacts(koi.workspace, koi.session)


def describe_fact(name: str, fact: Any) -> Any:
    """Return a hook's fact in the form in which it is sent."""
    if name == "run":
        return describe_run(fact)
    return describe_koi(fact) if name == "koi" else fact
