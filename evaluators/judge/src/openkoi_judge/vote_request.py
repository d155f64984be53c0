"""Request one vote of the judge from a model, and retry once when its response is unusable."""

from dataclasses import replace

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import FinishReason, Message, Request, RequestRejectedError, Run, Text
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .aggregate_scores import cap_scores
from .scores import UnreadableError
from .verdict import JudgeVerdict, parse_verdict

RETRY_PROMPT = (
    "\nYour last answer could not be used. {wrong} Answer again with the complete JSON object and nothing else.\n"
)
TRUNCATED_ADVICE = "It was cut off before it was complete: report fewer findings, in fewer words."
PARTIAL_WARNING = (
    "The judge's answer was cut off twice. Its scores are complete, but findings may be missing. "
    "Raise `max_output` in [evaluators.judge]."
)
DECLINED_MESSAGE = "The evaluator's model declined to judge this work. Set a different `models.evaluator`."


@dataclass(frozen=True, slots=True)
class VoteRequest:
    """A request for a vote, and the rubric of its response: all of it, or its ``needed`` dimensions."""

    request: Request
    rubric: Rubric
    needed: frozenset[str] | None = None

    @property
    def length(self) -> int:
        """Number of characters that the model reads."""
        words = (part.text for message in self.request.messages for part in message.parts if isinstance(part, Text))
        return sum(map(len, (*self.request.system, *words)))

    @property
    def steady_length(self) -> int:
        """Number of characters that are the same in every request with this rubric."""
        return len(self.request.system[0])

    def retry_request(self, wrong: str) -> Request:
        """Return the request with the error in the response appended."""
        first, *_ = self.request.messages
        return replace(self.request, messages=[Message.user(*first.parts, RETRY_PROMPT.format(wrong=wrong))])


async def request_vote(vote: VoteRequest, run: Run) -> JudgeVerdict:
    """Return one vote; raise UnreadableError when two responses were unusable."""
    first = await request_once(vote, vote.request, run)
    if isinstance(first, JudgeVerdict) and not first.partial:
        return first
    wrong = TRUNCATED_ADVICE if isinstance(first, JudgeVerdict) else str(first)
    second = await request_once(vote, vote.retry_request(wrong), run)
    best = second if isinstance(second, JudgeVerdict) else first
    if isinstance(best, UnreadableError):
        raise best
    if best.partial:
        await run.emit(WarningIssued(PARTIAL_WARNING))
    return best


async def request_once(vote: VoteRequest, request: Request, run: Run) -> JudgeVerdict | UnreadableError:
    """Send a request once; a model that declines is not asked again."""
    reply = await run.chat(request)
    if reply.done.stop is FinishReason.REFUSED:
        raise RequestRejectedError(DECLINED_MESSAGE)
    try:
        return cap_scores(parse_verdict(reply.text, vote.rubric, vote.needed), vote.rubric)
    except UnreadableError as error:
        return error
