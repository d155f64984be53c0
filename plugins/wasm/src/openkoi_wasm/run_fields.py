"""Convert a run to the fields that a module sees."""

from typing import Any

from openkoi_hookspecs import Run


def run_fields(run: Run) -> dict[str, Any]:
    """Return the ids, the workspace and the progress of a run."""
    ids = {"id": run.id, "outermost": run.outermost}
    return {**ids, "workspace": str(run.workspace), "iterations": len(run.iterations)}
