"""What a person prefers, as far as this run was told of it. Knows records and learnings; knows no rubric."""

from collections.abc import Iterator

from openkoi_hookspecs import Learning, Run, events


def preferences(run: Run) -> tuple[str, ...]:
    """The preferences that memory showed this run, those that quote somebody else left out."""
    return tuple(
        learning.text for learning in recalled(run) if learning.kind == "preference" and not learning.untrusted
    )


def recalled(run: Run) -> Iterator[Learning]:
    """The learnings that were shown at the beginning of the run."""
    for record in run.koi.records(run.task.session):
        if record.run == run.id and isinstance(record.event, events.RecallFinished):
            yield from (hit.item for hit in record.event.recall.hits if isinstance(hit.item, Learning))
            return
