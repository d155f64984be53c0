"""What an agent file says: who does a task, and where the task stops. Knows no file."""

from dataclasses import dataclass, fields, replace

from openkoi_hookspecs import Agent, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits that a file sets for a task; what it leaves out is None and stays as it is configured."""

    iterations: int | None = None
    cycles: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    quality_threshold: float | None = None

    def over(self, limits: Limits) -> Limits:
        """These limits, and the others where the file says nothing."""
        said = {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}
        return replace(limits, **said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One agent file, read. ``notes`` are sentences about what in it, or in the files it names, is not made use of."""

    agent: Agent
    bounds: Bounds = Bounds()
    description: str = ""
    notes: tuple[str, ...] = ()
