"""Describe the work to judge, and build the requests about it."""

from dataclasses import replace
from hashlib import sha256

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import ExecutionResult, Json, Message, Request, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

from .changes_since import WorkChange
from .evidence import Evidence, format_task, format_work, quote_evidence
from .incremental import PARTIAL_INSTRUCTIONS, PreviousVerdict, format_verdict, partial_schema
from .system_prompt import answer_schema, build_instructions, instructions_and_rubric
from .verdict import JudgeVerdict
from .vote_request import VoteRequest

EVALUATOR = "evaluator"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """The model, the length and temperature of its response, and how much of the work it sees."""

    max_output: int
    temperature: float
    max_diff: int
    model: str = EVALUATOR


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """A task, the work, and the rubric; ``facts`` are shown in addition."""

    rubric: Rubric
    task: Task
    work: ExecutionResult
    settings: JudgeSettings
    facts: tuple[Evidence, ...] = ()

    @property
    def standard_digest(self) -> str:
        """The digest of the standard: the rubric, the instructions and the task."""
        media = (part.digest for part in self.task.parts)
        return digest_texts(*build_instructions(self.rubric), self.task.text, self.task.context, *media)

    @property
    def cache_key(self) -> str:
        """The cache key of a verdict: a digest that is equal for equal work judged by the same standard."""
        wishes = (text for section in self.work.criteria for text in (section.name, section.text))
        facts = (fact.text for fact in self.facts)
        return digest_texts(self.standard_digest, self.work.ended, self.work.text, self.work.diff, *wishes, *facts)

    def full_request(self) -> VoteRequest:
        """Return the request about all of the work."""
        parts = format_task(self.task), format_work(self.work, self.settings.max_diff, self.facts)
        return VoteRequest(
            self._request(build_instructions(self.rubric), parts, answer_schema(self.rubric)), self.rubric
        )

    def incremental_request(self, before: JudgeVerdict, diff: str) -> VoteRequest:
        """Return the request about all of the work, with the previous verdict on what the diff omits."""
        facts = Evidence("verdict", format_verdict(before)), *self.facts
        parts = format_task(self.task), format_work(replace(self.work, diff=diff), self.settings.max_diff, facts)
        return VoteRequest(
            self._request(build_instructions(self.rubric), parts, answer_schema(self.rubric)), self.rubric
        )

    def partial_request(self, change: WorkChange, before: PreviousVerdict) -> VoteRequest:
        """Return the request about what changed since the last full judgment."""
        system = instructions_and_rubric(self.rubric), PARTIAL_INSTRUCTIONS
        parts = (
            format_task(self.task),
            quote_evidence(self.work, before.format(change, self.work)),
            before.scoring_order(self.rubric),
        )
        return VoteRequest(self._request(system, parts, partial_schema(self.rubric)), self.rubric, before.needed)

    def _request(self, system: tuple[str, ...], parts: tuple[str, ...], shape: dict[str, Json]) -> Request:
        """Build a request: constant parts first, the images and files of the task after its text."""
        return Request(
            [Message.user(*parts[:1], *self.task.parts, *parts[1:])],
            model=self.settings.model,
            system=system,
            schema=shape,
            max_output=self.settings.max_output,
            temperature=self.settings.temperature,
        )


def digest_texts(*texts: str) -> str:
    """Return one digest for several texts."""
    seen = sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        seen.update(b"%d " % len(data) + data)
    return seen.hexdigest()
