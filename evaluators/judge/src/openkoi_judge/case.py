"""What is judged, and the questions that can be asked about it. Knows prompts and rubrics; asks nobody."""

from dataclasses import dataclass, replace
from hashlib import sha256

from openkoi_hookspecs import ExecutionResult, Json, Message, Request, Task
from openkoi_skillfile import Rubric

from .ballot import Ballot
from .evidence import Evidence, asked, quoted, shown
from .instruction import head, instruction, schema
from .partial import PARTIAL, Before, held, partial_schema
from .since import Change
from .verdict import Verdict

EVALUATOR = "evaluator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a judge is asked: which model, the length and the temper of its answer, and how much it is shown."""

    max_output: int
    temperature: float
    room: int
    model: str = EVALUATOR


@dataclass(frozen=True, slots=True)
class Case:
    """Work for a task, and the rubric that it is held to; ``facts`` are shown beside it."""

    rubric: Rubric
    task: Task
    work: ExecutionResult
    manner: Manner
    facts: tuple[Evidence, ...] = ()

    @property
    def yardstick(self) -> str:
        """Another one whenever the rubric, our instructions or the task are others."""
        media = (part.digest for part in self.task.parts)
        return digest(*instruction(self.rubric), self.task.text, self.task.context, *media)

    @property
    def key(self) -> str:
        """The same for equal work, held to an equal yardstick."""
        wishes = (text for section in self.work.criteria for text in (section.name, section.text))
        facts = (fact.text for fact in self.facts)
        return digest(self.yardstick, self.work.ended, self.work.text, self.work.diff, *wishes, *facts)

    def whole(self) -> Ballot:
        """Ask about all of it."""
        parts = asked(self.task), shown(self.work, self.manner.room, self.facts)
        return Ballot(self._request(instruction(self.rubric), parts, schema(self.rubric)), self.rubric)

    def again(self, before: Verdict, diff: str) -> Ballot:
        """Ask about all of it, with the verdict on what is left out of the diff because it was read before."""
        facts = Evidence("verdict", held(before)), *self.facts
        parts = asked(self.task), shown(replace(self.work, diff=diff), self.manner.room, facts)
        return Ballot(self._request(instruction(self.rubric), parts, schema(self.rubric)), self.rubric)

    def partly(self, change: Change, before: Before) -> Ballot:
        """Ask about what changed since it was judged in full."""
        system = head(self.rubric), PARTIAL
        parts = asked(self.task), quoted(self.work, before.shown(change, self.work)), before.order(self.rubric)
        return Ballot(self._request(system, parts, partial_schema(self.rubric)), self.rubric, before.needed)

    def _request(self, system: tuple[str, ...], parts: tuple[str, ...], shape: dict[str, Json]) -> Request:
        """A question: what stays the same first, the images and files of the task after its words."""
        return Request(
            [Message.user(*parts[:1], *self.task.parts, *parts[1:])],
            model=self.manner.model,
            system=system,
            schema=shape,
            max_output=self.manner.max_output,
            temperature=self.manner.temperature,
        )


def digest(*texts: str) -> str:
    """One value for several texts."""
    seen = sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        seen.update(b"%d " % len(data) + data)
    return seen.hexdigest()
