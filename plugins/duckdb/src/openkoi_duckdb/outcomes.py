"""What came of an iteration, for which the documented columns of ``iteration_cycles`` have no room.

How far it came, the last words of its work, and the evaluation as JSON. Knows the table and its row.
"""

from .codec import written
from .iterations import Turn
from .rows import OutcomeRow


def outcome_row(run: str, turn: Turn) -> OutcomeRow:
    """Say what came of one iteration."""
    return OutcomeRow(
        id=f"{run}:{turn.iteration}",
        phase=turn.phase,
        output=turn.work.text if turn.work else "",
        evaluation=written(turn.evaluation) if turn.evaluation else None,
    )
