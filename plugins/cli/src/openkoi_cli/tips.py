"""Choose one tip after a successful run, for the first few runs."""

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RUNS_WITH_TIPS = 5
TIPS = (
    "Tip: `openkoi status` shows memory, recent tasks and their cost.",
    "Tip: `openkoi replay` replays the last task without calling a model or a tool.",
    "Tip: `--iterate 0` runs a task once without evaluation, which is faster and cheaper.",
    "Tip: `OPENKOI_MODEL=ollama/codestral` changes the default model.",
    "Tip: `openkoi plugins` lists what is installed and what it adds.",
)


def choose_tip(sessions: "Path") -> str:
    """Return the next tip; empty after the first runs."""
    from openkoi_runlog import list_segments

    runs = len(list_segments(sessions))
    return TIPS[(runs - 1) % len(TIPS)] if runs <= RUNS_WITH_TIPS else ""


def choose_daily_tip() -> str:
    """Return a tip that changes daily."""
    return TIPS[date.today().toordinal() % len(TIPS)]
