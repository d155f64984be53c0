"""Build the row of an iteration's outcome, which the documented columns of ``iteration_cycles`` cannot hold.

How far it came, the last words of its work, and the evaluation as JSON. Knows the table and its row.
"""

from openkoi_runlog import IterationView

from .codec import to_json
from .rows import OutcomeRow


def make_outcome_row(run: str, one: IterationView) -> OutcomeRow:
    """Say what came of one iteration."""
    return OutcomeRow(
        id=f"{run}:{one.number}",
        phase=one.phase,
        output=one.work.text if one.work else "",
        evaluation=to_json(one.evaluation) if one.evaluation else None,
    )
