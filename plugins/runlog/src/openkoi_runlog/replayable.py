"""Choose the records of a run that are replayed when it is resumed. Pure; reads no file."""

from collections.abc import Iterable, Iterator

from openkoi_hookspecs import Event, Record, StopReason, events

UNAPPROVED = "Not run: this needs the user's approval, and there is no answer yet. The run stops until then."
DONE = (events.BaselineSaved, events.ChecksBaseline, events.ToolCallStarted, events.ToolCallFinished)


def with_somebody_there(records: Iterable[Record]) -> Iterator[Record]:
    """The records without those that followed from a person's not being there: that is asked again.

    What else was done in the same turn was done, and stays so.
    """
    alone = False
    for record in records:
        alone = (alone or wants_somebody(record.event)) and not isinstance(record.event, events.RunResumed)
        if not alone or (isinstance(record.event, DONE) and not wants_somebody(record.event)):
            yield record


def without_missing_verdict(records: Iterable[Record]) -> Iterator[Record]:
    """The records without what followed an execution, up to where a run that was not judged is resumed.

    What the judge and the learner said then is paid for and not heard again.
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


def wants_somebody(event: Event) -> bool:
    """Whether a run ends here because nobody was there to ask."""
    match event:
        case events.ToolCallFinished(result=result):
            return result.text == UNAPPROVED
        case events.ExecutionFinished(work=work):
            return work.ended is StopReason.PERSON
    return False
