"""The judge: an opinion about the work, held to an evaluator's SKILL.md. Knows its configuration and the run."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar

from openkoi_hookspecs import (
    ConfigError,
    DataDir,
    Evaluation,
    ExecutionResult,
    Koi,
    KoiError,
    PluginNotFoundError,
    ProviderError,
    Request,
    Run,
    SharedSetting,
)
from openkoi_hookspecs.events import WarningIssued
from openkoi_settings.keys import SKIP_EVAL_CONFIDENCE
from openkoi_skillfile import Approved, Method, Rubric, RubricSample, Trust, lent

from .case import EVALUATOR, Case, Manner, digest
from .certified import INFORMS, UNCERTIFIED, Certified, certified, informing, model_of
from .choice import by_merit, choose
from .extract import extract
from .hearing import Hearing
from .instruction import instruction
from .kept import Kept
from .preferences import preferences
from .scores import Unreadable
from .shelf import Shelf, fetch, wanted
from .sparing import Rules

UNREADABLE = "The judge returned no usable verdict after 2 tries. {wrong} Try another evaluator model."
TOO_LONG = "The judge sees {room} of the {length} characters of the change, its beginning and its end. Raise max_diff."
WRONG = "[evaluators.judge]{other} {name} is {value}. It has to be {bound} or more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Configured by ``[evaluators.judge]``.

    ``votes`` are asked for when the score lies within ``band`` of the threshold, and where nothing was changed;
    ``folder`` is OpenKoi's data folder, and ``path`` names more folders with evaluators in
    them. What a project brings is read where ``trust`` says so: where a person approved of it. No judgement is asked
    for after a change of ``small`` characters or fewer when the last one reached ``skip_eval_confidence`` and the
    checks pass. With ``require_certified`` a judgement by a rubric or model without a passed certificate informs and
    does not decide; without ``certificates`` none is looked at.
    """

    judges: ClassVar[bool] = True

    rubric: str = ""
    votes: int = 3
    band: float = 0.08
    max_output: int = 2000
    temperature: float = 0.1
    max_diff: int = 24_000
    skip_eval_confidence: Annotated[float, SharedSetting(SKIP_EVAL_CONFIDENCE.name)] = SKIP_EVAL_CONFIDENCE.default
    small: int = 2_000
    require_certified: bool = False
    certificates: bool = True
    folder: Annotated[Path | None, DataDir("")] = None
    path: tuple[Path, ...] = ()
    trust: Trust | None = None
    _kept: Kept = field(default_factory=Kept, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse settings that cannot work, and such that would leave doubtful work unjudged."""
        least = {"votes": 1, "band": 0, "max_output": 1, "temperature": 0, "max_diff": 1, "small": 0}
        for name, bound in {**least, "skip_eval_confidence": SKIP_EVAL_CONFIDENCE.low}.items():
            if not getattr(self, name) >= bound:
                other = " or [iteration]" if name == "skip_eval_confidence" else ""
                raise ConfigError(WRONG.format(name=name, value=getattr(self, name), bound=bound, other=other))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Judge the work by the evaluator for its task. Nothing said and nothing changed is nothing to judge."""
        if not (work.changed or work.answered):
            return None
        shelf = await self._shelf(run.workspace, run.koi)
        await self._warn(shelf, run)
        try:
            rubrics = by_merit(shelf, lambda one: self._certified(one).merit)
            rubric = choose(rubrics, self.rubric, run.task, preferences(run))
            return await self._decisive(rubric, await self._judged(rubric, work, run), run)
        except Unreadable as error:
            return Evaluation(unavailable_reason=UNREADABLE.format(wrong=error))
        except (ProviderError, PluginNotFoundError, ConfigError) as error:
            return Evaluation(unavailable_reason=str(error))

    async def health(self) -> dict[str, str]:
        """Name the evaluators there are; a broken one is unwell."""
        shelf = await self._shelf(None, None)
        if shelf.complaints:
            raise KoiError(" ".join(shelf.complaints))
        return {"rubrics": ", ".join(rubric.name for rubric in shelf.rubrics)}

    async def rubrics(self, koi: Koi) -> Sequence[Rubric]:
        """The rubrics it could judge by."""
        return (await self._shelf(None, koi)).rubrics

    def stamp(self, rubric: Rubric) -> str:
        """Another one whenever the rubric, or what is said to a judge with it, is another."""
        return digest(*instruction(rubric))

    def sample_request(self, sample: RubricSample) -> Request:
        """Return the request that one vote on a sample takes."""
        return self._case_of(sample).whole().request

    async def evaluate_sample(self, sample: RubricSample, run: Run) -> Evaluation:
        """Judge a sample with one vote, as if nothing had been judged before and there were no certificates."""
        rules = replace(self._rules(Certified()), votes=1)
        try:
            return await Hearing(self._case_of(sample), run, Kept(), rules).held()
        except Unreadable as error:
            return Evaluation(unavailable_reason=UNREADABLE.format(wrong=error))

    def _case_of(self, sample: RubricSample) -> Case:
        """Return the case of a work that no run has done, so that no record tells of it."""
        facts = None if sample.rubric.method is Method.RUBRIC else extract(sample.work, (), "")
        manner = replace(self._manner, model=sample.model or EVALUATOR)
        return Case(sample.rubric, sample.task, sample.work, manner, tuple(facts.shown()) if facts else ())

    def _certified(self, rubric: Rubric) -> Certified:
        """What certificates say of a rubric."""
        if not self.certificates:
            return Certified()
        return certified(self.folder, rubric.name, self.stamp(rubric))

    async def _decisive(self, rubric: Rubric, said: Evaluation, run: Run) -> Evaluation:
        """The evaluation, or what it has to tell, where only certified ones may decide."""
        if not self.require_certified or said.unavailable_reason:
            return said
        model = model_of(run.koi.records(run.task.session), run.id)
        why = self._certified(rubric).lacking(model)
        if not why:
            return said
        await run.emit(WarningIssued(INFORMS.format(rubric=rubric.name, why=why)))
        return replace(informing(said), unavailable_reason=UNCERTIFIED.format(rubric=rubric.name, why=why))

    async def _shelf(self, workspace: Path | None, koi: Koi | None) -> Shelf:
        """Read what there is."""
        brought, complaints = await lent(koi.plugins("skills") if koi else ())
        places = wanted(self.folder, workspace, self.path, brought)
        shelf = fetch(places, self.trust or (Approved(koi) if koi else None))
        return replace(shelf, complaints=(*complaints, *shelf.complaints))

    async def _warn(self, shelf: Shelf, run: Run) -> None:
        """Say, once a run, what a person should look at."""
        for complaint in () if run.iterations else shelf.complaints:
            await run.emit(WarningIssued(complaint))

    async def _judged(self, rubric: Rubric, work: ExecutionResult, run: Run) -> Evaluation:
        """Ask a model."""
        facts = None if rubric.method is Method.RUBRIC else extract(work, run.koi.records(run.task.session), run.id)
        if len(work.diff) > self.max_diff:
            await run.emit(WarningIssued(TOO_LONG.format(room=self.max_diff, length=len(work.diff))))
        case = Case(rubric, run.task, work, self._manner, tuple(facts.shown()) if facts else ())
        return await Hearing(case, run, self._kept, self._rules(self._certified(rubric))).held()

    @property
    def _manner(self) -> Manner:
        return Manner(max_output=self.max_output, temperature=self.temperature, room=self.max_diff)

    def _rules(self, known: Certified) -> Rules:
        return Rules(
            votes=self.votes,
            band=self.band,
            confidence=self.skip_eval_confidence,
            small=self.small,
            lenient=known.leniency,
            tried=known.overlooks,
        )
