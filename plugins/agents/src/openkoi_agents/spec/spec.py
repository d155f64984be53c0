"""Represent an agent file: the agent, and the limits of the task."""

from dataclasses import fields, replace

from openkoi_hookspecs import Agent, Limits
from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits that a file sets for a task; None leaves a limit as it is configured."""

    iterations: int | None = None
    cycles: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    quality_threshold: float | None = None

    def apply_to(self, limits: Limits) -> Limits:
        """Return these limits, completed by the others if the file sets none."""
        limits_set = {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}
        return replace(limits, **limits_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One agent file. ``notes`` are sentences about unused keys in it, or in the files it names."""

    agent: Agent
    bounds: Bounds = Bounds()
    description: str = ""
    notes: tuple[str, ...] = ()
