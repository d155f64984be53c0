"""The judge: a model's opinion about the work, held to a rubric. Knows the run; the reading of answers is elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import (
    BadSetting,
    Data,
    Evaluation,
    KoiError,
    LimitReached,
    Message,
    ProviderError,
    Request,
    Run,
    UnknownName,
    Work,
)
from openkoi_hookspecs.events import Warned

from .ballot import Ballot, vote
from .choice import choose
from .evidence import asked, shown
from .instruction import instruction, schema
from .rubric import Rubric
from .scores import Unreadable
from .shelf import Shelf, fetch
from .verdict import Verdict
from .votes import Voted, agreed, close, composite, judged

UNREADABLE = (
    "The judge was asked twice and gave no verdict that can be used. {wrong} Another evaluator model may do better."
)
ALONE = "The score is close to the threshold, and only one vote could be had: {cause} The first vote stands."
TOO_LONG = "The judge sees {room} of the {length} characters of the change, its beginning and its end. Raise max_diff."


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Configured by ``[evaluators.judge]``.

    ``votes`` are asked for when the score lies within ``band`` of the threshold; ``weight`` is what the judge counts
    beside other evaluators; ``folder`` holds a person's own rubrics in ``user/<name>/SKILL.md``.
    """

    rubric: str = ""
    votes: int = 3
    band: float = 0.08
    weight: float = 0.60
    max_output: int = 2000
    temperature: float = 0.1
    max_diff: int = 24_000
    folder: Annotated[Path | None, Data("evaluators")] = None

    def __post_init__(self) -> None:
        """Refuse settings that cannot work."""
        least = {"votes": 1, "band": 0, "weight": 0.01, "max_output": 1, "temperature": 0, "max_diff": 1}
        for name, bound in least.items():
            if not getattr(self, name) >= bound:
                raise BadSetting(f"[evaluators.judge] {name} is {getattr(self, name)}. It has to be {bound} or more.")

    async def evaluate(self, work: Work, run: Run) -> Evaluation | None:
        """Judge the work by the rubric for its task. Nothing said and nothing changed is nothing to judge."""
        if not (work.diff.strip() or work.text.strip()):
            return None
        shelf = fetch(self.folder)
        await self._warn(shelf, work, run)
        try:
            ballot = self._ballot(shelf, work, run)
            verdicts = await self._hear(ballot, work, run)
        except Unreadable as error:
            return Evaluation(unknown=UNREADABLE.format(wrong=error))
        except (ProviderError, UnknownName) as error:
            return Evaluation(unknown=str(error))
        return await self._conclude(verdicts, ballot.rubric, run)

    async def examine(self) -> dict[str, str]:
        """Name the rubrics there are; a broken one is unwell."""
        shelf = fetch(self.folder)
        if shelf.complaints:
            raise KoiError(" ".join(shelf.complaints))
        return {"rubrics": ", ".join(rubric.name for rubric in shelf.rubrics)}

    async def _warn(self, shelf: Shelf, work: Work, run: Run) -> None:
        """Say what a person should know: broken rubrics, once a run, and a change that is shown in part."""
        for complaint in () if run.iterations else shelf.complaints:
            await run.emit(Warned(complaint))
        if len(work.diff) > self.max_diff:
            await run.emit(Warned(TOO_LONG.format(room=self.max_diff, length=len(work.diff))))

    def _ballot(self, shelf: Shelf, work: Work, run: Run) -> Ballot:
        """Put the question together: what stays the same first."""
        rubric = choose(shelf.rubrics, self.rubric, run.task)
        request = Request(
            [Message.user(asked(run.task), shown(work, self.max_diff))],
            model="evaluator",
            system=[instruction(rubric)],
            schema=schema(rubric),
            max_output=self.max_output,
            temperature=self.temperature,
        )
        return Ballot(request, rubric)

    async def _hear(self, ballot: Ballot, work: Work, run: Run) -> list[Verdict]:
        """Get one vote, and the others when it lies so close to the threshold that noise could decide."""
        first = await vote(ballot, run)
        score = composite(judged(first, self.weight), work.known)
        if self.votes < 2 or not close(score, run.task.limits, self.band):
            return [first]
        try:
            return [first, *[await vote(ballot, run) for _ in range(self.votes - 1)]]
        except (LimitReached, ProviderError, Unreadable) as error:
            await run.emit(Warned(ALONE.format(cause=error)))
            return [first]

    async def _conclude(self, verdicts: Sequence[Verdict], rubric: Rubric, run: Run) -> Evaluation:
        """Make one evaluation of the votes, and tell how they went."""
        verdict = agreed(verdicts, rubric) if len(verdicts) > 1 else verdicts[0]
        scores = tuple(vote.scores for vote in verdicts)
        await run.emit(Voted(rubric.name, scores, note=verdict.note))
        return judged(verdict, self.weight)
