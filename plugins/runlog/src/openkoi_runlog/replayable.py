"""Choose the records of a run that are replayed when it is resumed. Pure; reads no file."""

from collections.abc import Iterable, Iterator

from openkoi_hookspecs import Event, Record, StopReason, events

UNAPPROVED = "Not run: this needs the user's approval, and there is no answer yet. The run stops until then."
EFFECTS = (events.BaselineSaved, events.ChecksBaseline, events.ToolCallStarted, events.ToolCallFinished)


def drop_unapproved(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records without those that resulted from a missing approval, since the user is asked again.

    Everything else that was done in the same turn is kept.
    """
    alone = False
    for record in records:
        alone = (alone or stops_for_approval(record.event)) and not isinstance(record.event, events.RunResumed)
        if not alone or (isinstance(record.event, EFFECTS) and not stops_for_approval(record.event)):
            yield record


def drop_unjudged(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records without those between an execution and the resume of a run that was not judged.

    The answers of the judge and the learner were paid for, but are not reused.
    """
    held: list[Record] = []
    after_work = over = False
    for record in records:
        event = record.event
        if isinstance(event, events.RunCompleted) and event.decision.unjudged:
            held, over = [], True
        elif isinstance(event, events.RunResumed):
            over = False
        elif over:
            continue
        elif after_work and isinstance(event, events.RequestClassified):
            yield from (*held, record)
            held = []
        elif after_work and not isinstance(event, events.ExecutionFinished | events.MessageAdded):
            held.append(record)
        else:
            yield from (*held, record)
            held, after_work = [], isinstance(event, events.ExecutionFinished)
    yield from held


def stops_for_approval(event: Event) -> bool:
    """Return whether a run stops here because it lacks an approval."""
    match event:
        case events.ToolCallFinished(result=result):
            return result.text == UNAPPROVED
        case events.ExecutionFinished(work=work):
            return work.ended is StopReason.PERSON
    return False
