"""Read the user's preferences that a run has recalled."""

from collections.abc import Iterator

from openkoi_hookspecs import Learning, Run, events


def preferences(run: Run) -> tuple[str, ...]:
    """Return the recalled preferences, without untrusted ones."""
    return tuple(
        learning.text
        for learning in recalled_learnings(run)
        if learning.kind == "preference" and not learning.untrusted
    )


def recalled_learnings(run: Run) -> Iterator[Learning]:
    """Yield the learnings recalled at the start of the run."""
    for record in run.koi.records(run.task.session):
        if record.run == run.id and isinstance(record.event, events.RecallFinished):
            yield from (hit.item for hit in record.event.recall.hits if isinstance(hit.item, Learning))
            return
