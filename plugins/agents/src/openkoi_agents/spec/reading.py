"""Read an agent's definition from its YAML file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError

from .spec import Spec
from .text_file import text_of

if TYPE_CHECKING:
    from .document import SpecProblem

MAX_SHOWN_PROBLEMS = 25


def read_agent(path: Path | str) -> Spec:
    """Read an agent, and those that its file names; raise ConfigError with all errors, line by line."""
    from .building import Building

    building, where = Building(), Path(path)
    spec = building.from_text(text_of(where), where)
    if spec is None or building.faults:
        raise ConfigError(format_problems(sorted(set(building.faults))))
    return spec


def format_problems(faults: "Sequence[SpecProblem]") -> str:
    """Return the problems, one per line."""
    lines = [str(fault) for fault in faults[:MAX_SHOWN_PROBLEMS]]
    more = len(faults) - len(lines)
    return "\n".join([*lines, f"{faults[0].file}: {more} more errors."] if more else lines)
