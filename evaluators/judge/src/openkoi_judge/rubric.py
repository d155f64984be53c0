"""A rubric: what is scored, how much it counts, and what a score means. Knows no files, models or work."""

import re
from dataclasses import KW_ONLY, dataclass

ALIASES = {"docs": "documentation", "doc": "documentation", "error_response": "error_responses"}


def canonical(name: str) -> str:
    """Make one name of the spellings of a dimension or category: ``Error responses`` is ``error_responses``."""
    key = re.sub(r"[\s_-]+", "_", name.strip().casefold())
    return ALIASES.get(key, key)


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is scored; the weights of a rubric sum to one."""

    name: str
    weight: float
    description: str = ""

    @property
    def key(self) -> str:
        """The name as it is compared."""
        return canonical(self.name)


@dataclass(frozen=True, slots=True)
class Rubric:
    """A yardstick for one kind of work. ``guide`` is what a judge reads; no ``categories`` means: only by name."""

    name: str
    dimensions: tuple[Dimension, ...]
    _: KW_ONLY
    description: str = ""
    categories: tuple[str, ...] = ()
    guide: str = ""

    def rule(self, dimension: str) -> str:
        """Name a dimension of this rubric as findings do."""
        return f"{self.name}/{dimension}"

    def known(self, name: str) -> Dimension | None:
        """Find a dimension by any spelling of its name."""
        return next((dimension for dimension in self.dimensions if dimension.key == canonical(name)), None)
