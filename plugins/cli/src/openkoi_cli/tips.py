"""One hint after a good run, for the first few runs. Every command named here exists."""

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RUNS = 5
TIPS = (
    "Tip: openkoi status shows memory, the last tasks and their cost.",
    "Tip: openkoi replay shows the last task again, without calling anything.",
    "Tip: --iterate 0 does a task once and does not judge it: faster and cheaper.",
    "Tip: OPENKOI_MODEL=ollama/codestral changes the default model.",
    "Tip: openkoi plugins lists what is installed and what it adds.",
)


def tip(sessions: "Path") -> str:
    """The next hint, or nothing once a person knows their way."""
    from openkoi_runlog import segments

    runs = len(segments(sessions))
    return TIPS[(runs - 1) % len(TIPS)] if runs <= RUNS else ""


def tip_of_the_day() -> str:
    """A hint for who asks for help, another one each day."""
    return TIPS[date.today().toordinal() % len(TIPS)]
