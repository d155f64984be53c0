"""A run that ended before its time, as its records tell it. Pure; knows records and their order.

Each thing that happened is handed out once, where it happened, in place of doing it again: no call is paid for twice,
no effect repeated. When nothing is left, the run goes on from there. The past of a run that just begins is empty.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from openkoi_hookspecs import Decision, Ended, Event, Record, Request, ToolCall, ToolResult, events

E = TypeVar("E", bound=Event)

UNKNOWN = (
    "It is not known whether this was done: OpenKoi was interrupted after it had begun. "
    "Look at what is there before you do it again."
)
NOBODY = "A person has to allow this, and nobody is there to ask. It was not run."
TOLD = (
    *(events.Recalled, events.Planned, events.Prompted, events.Answered, events.ToolCalled, events.ToolAnswered),
    *(events.Worked, events.Evaluated, events.Iterated, events.Decided),
)
CLOSING = (events.Worked, events.Evaluated, events.Decided)
DONE = (events.Kept, events.ToolCalled, events.ToolAnswered)
SAID_AGAIN = (events.TaskStarted, events.Terminated, events.Iterated)


def always(event: Event) -> bool:
    """Whatever it is."""
    return True


@dataclass(slots=True)
class Rerun:
    """What is left of it. ``origin`` is how the workspace was before its first change, ``seconds`` how long it took.

    ``broken`` are answers that broke off and were paid for.
    """

    left: list[Event] = field(default_factory=list)
    written: Counter[type[Event]] = field(default_factory=Counter)
    origin: str = ""
    seconds: float = 0.0
    broken: Sequence[events.Broken] = ()

    @property
    def active(self) -> bool:
        """Whether there is something still that was done before."""
        return bool(self.left)

    def answer(self, request: Request) -> events.Answered | None:
        """What was answered to a request, if it was made before and was answered."""
        said, length = request.model, len(request.messages)
        return self.take(events.Answered, lambda known: known.role == said and known.messages in (0, length))

    def take(self, kind: type[E], fits: Callable[[E], bool] = always) -> E | None:
        """The next thing of a kind that fits; what closes a phase leaves all before it behind."""
        for place, event in enumerate(self.left):
            if isinstance(event, kind) and fits(event):
                self.left = self.left[place + 1 :] if kind in CLOSING else [*self.left[:place], *self.left[place + 1 :]]
                return event
        return None

    def result(self, call: ToolCall, *, repeatable: bool) -> ToolResult | None:
        """What a call brought, or that nobody knows; None when it has to be made, because it never was."""
        begun = next((event for event in self.left if is_call(event, call)), None)
        if begun:
            self.left.remove(begun)
        for event in self.left:
            if isinstance(event, events.ToolAnswered) and event.result.call == call.id:
                self.left.remove(event)
                return event.result
        return ToolResult(UNKNOWN, failed=True, call=call.id) if begun and not repeatable else None

    def unjudged(self) -> bool:
        """Whether the iteration is over, and nobody had an opinion about it."""
        ends = (events.Evaluated, events.Iterated, events.Prompted)
        return isinstance(next((event for event in self.left if isinstance(event, ends)), None), events.Iterated)

    def covers(self, event: Event) -> bool:
        """Whether an event is in the log already; what is only told while it happens is not told again."""
        if self.written[type(event)] > 0:
            self.written[type(event)] -= 1
            if isinstance(event, events.Iterated):
                self.take(events.Iterated)
            return True
        return self.active and not event.durable


def is_call(event: Event, call: ToolCall) -> bool:
    return isinstance(event, events.ToolCalled) and event.call.id == call.id


def rerun_of(records: Iterable[Record], run: str) -> Rerun:
    """What one run did before."""
    own = list(with_somebody_there(record for record in records if record.run == run))
    happened = [record.event for record in own]
    origin = next((event.checkpoint for event in happened if isinstance(event, events.Kept)), "")
    again = (*SAID_AGAIN, events.RunCompleted, events.Used) if over(happened) else SAID_AGAIN
    written: Counter[type[Event]] = Counter(type(event) for event in happened if isinstance(event, again))
    broken = [event for event in happened if isinstance(event, events.Broken)]
    return Rerun([event for event in happened if isinstance(event, TOLD)], written, origin, lasted(own), broken)


def over(happened: Iterable[Event]) -> bool:
    """Whether it came to its end, and waits for nobody: a part of a run that did not."""
    ends = [event.ruling.decision for event in happened if isinstance(event, events.RunCompleted)]
    return bool(ends) and ends[-1] is not Decision.ESCALATE


def with_somebody_there(records: Iterable[Record]) -> Iterator[Record]:
    """The records without those that followed from a person's not being there: that is asked again.

    What else was done in the same turn was done, and stays so.
    """
    alone = False
    for record in records:
        alone = (alone or wants_somebody(record.event)) and not isinstance(record.event, events.Continued)
        if not alone or (isinstance(record.event, DONE) and not wants_somebody(record.event)):
            yield record


def wants_somebody(event: Event) -> bool:
    """Whether a run ends here because nobody was there to ask."""
    match event:
        case events.ToolAnswered(result=result):
            return result.text == NOBODY
        case events.Worked(work=work):
            return work.ended is Ended.PERSON
    return False


def lasted(records: Sequence[Record]) -> float:
    """Seconds that a run was under way: each process's own, not what lies between two of them."""
    total = 0.0
    for segment in dict.fromkeys(record.segment for record in records):
        times = [datetime.fromisoformat(record.at) for record in records if record.segment == segment]
        total += (max(times) - min(times)).total_seconds()
    return total
