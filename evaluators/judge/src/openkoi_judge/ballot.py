"""Ask a model for one vote, and once more when its answer cannot be used. Knows the run; knows no thresholds."""

from dataclasses import dataclass, replace

from openkoi_hookspecs import FinishReason, Message, Request, RequestRejectedError, Run, Text
from openkoi_hookspecs.events import WarningIssued
from openkoi_skillfile import Rubric

from .scores import Unreadable
from .verdict import Verdict, read_verdict
from .votes import capped

AGAIN = "\nYour last answer could not be used. {wrong} Answer again with the complete JSON object and nothing else.\n"
CUT_OFF = "It was cut off before it was complete: report fewer findings, in fewer words."
PARTIAL = "The judge's answer was cut off twice. Its scores are complete; findings may be missing. Raise max_output."
DECLINED = "The evaluator's model declined to judge this work. Choose another model for the role of the evaluator."


@dataclass(frozen=True, slots=True)
class Ballot:
    """A request for a vote, and the rubric that its answer has to fit: all of it, or what is ``needed``."""

    request: Request
    rubric: Rubric
    needed: frozenset[str] | None = None

    @property
    def length(self) -> int:
        """How many characters it asks the model to read."""
        words = (part.text for message in self.request.messages for part in message.parts if isinstance(part, Text))
        return sum(map(len, (*self.request.system, *words)))

    @property
    def steady(self) -> int:
        """How many of these are the same in every request by this rubric: the manners and the rubric."""
        return len(self.request.system[0])

    def again(self, wrong: str) -> Request:
        """The same request, and at its end what was wrong with the answer to it."""
        first, *_ = self.request.messages
        return replace(self.request, messages=[Message.user(*first.parts, AGAIN.format(wrong=wrong))])


async def vote(ballot: Ballot, run: Run) -> Verdict:
    """Get one vote. Raises Unreadable when two answers could not be used, and whatever ``run.chat`` raises."""
    first = await attempt(ballot, ballot.request, run)
    if isinstance(first, Verdict) and not first.partial:
        return first
    wrong = CUT_OFF if isinstance(first, Verdict) else str(first)
    second = await attempt(ballot, ballot.again(wrong), run)
    best = second if isinstance(second, Verdict) else first
    if isinstance(best, Unreadable):
        raise best
    if best.partial:
        await run.emit(WarningIssued(PARTIAL))
    return best


async def attempt(ballot: Ballot, request: Request, run: Run) -> Verdict | Unreadable:
    """Ask once. A model that declines is not asked again."""
    reply = await run.chat(request)
    if reply.done.stop is FinishReason.REFUSED:
        raise RequestRejectedError(DECLINED)
    try:
        return capped(read_verdict(reply.text, ballot.rubric, ballot.needed), ballot.rubric)
    except Unreadable as error:
        return error
