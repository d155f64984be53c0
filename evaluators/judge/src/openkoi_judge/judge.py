"""A model as judge, guided by an evaluator's SKILL.md."""

from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, ClassVar

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.certifiable import RubricSample
from openkoi_base.skillfile.evaluator import Method, Rubric
from openkoi_base.skillfile.locations import Trust
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
from openkoi_hookspecs.lazy_dataclass import dataclass

from .cache import JudgmentCache
from .certificates import (
    INFORMS,
    UNCERTIFIED,
    RubricCertificates,
    last_judge_model,
    load_certificates,
    make_informational,
)
from .choose_rubric import choose_rubric, sort_by_merit
from .execution_facts import read_facts
from .judge_input import EVALUATOR, JudgeInput, JudgeSettings, digest_texts
from .judging import JudgingSession
from .rubrics_library import RubricLibrary, installed_locations, load_rubrics, search_locations
from .scores import UnreadableError
from .skip_rules import JudgingRules
from .system_prompt import build_instructions
from .user_preferences import preferences

UNREADABLE = "The judge returned no usable verdict after 2 tries. {wrong} Try another evaluator model."
MIN_SKIP_CONFIDENCE = 0.9  # a lower score is never reused; the setting has the same bound (estimate)
TOO_LONG = (
    "The judge sees only {room} of the {length} characters of the change (start and end). To show all of it, "
    "raise `max_diff` in [evaluators.judge]."
)
WRONG = "[evaluators.judge]{other} {name} is {value}. It must be at least {bound}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """An evaluator configured by ``[evaluators.judge]``.

    ``votes`` are requested when the score is within ``band`` of the threshold, and when nothing was changed. ``folder``
    is OpenKoi's data folder, ``path`` lists more folders with evaluators. A project's evaluators are used only if
    ``trust`` allows it. No judgment is made after a change of at most ``small`` characters when the last score reached
    ``skip_eval_confidence`` and the checks pass. With ``require_certified``, a judgment without a passed certificate is
    informational; without ``certificates``, none are read.
    """

    judges: ClassVar[bool] = True

    rubric: str = ""
    votes: int = 3
    band: float = 0.08
    max_output: int = 2000
    temperature: float = 0.1
    max_diff: int = 24_000
    skip_eval_confidence: Annotated[float, SharedSetting("iteration.skip_eval_confidence")] = 0.95
    small: int = 2_000
    require_certified: bool = False
    certificates: bool = True
    folder: Annotated[Path | None, DataDir("")] = None
    path: tuple[Path, ...] = ()
    trust: Trust | None = None
    _kept: JudgmentCache = field(default_factory=JudgmentCache, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reject invalid settings, and those that would leave doubtful work unjudged."""
        least = {"votes": 1, "band": 0, "max_output": 1, "temperature": 0, "max_diff": 1, "small": 0}
        for name, bound in {**least, "skip_eval_confidence": MIN_SKIP_CONFIDENCE}.items():
            if not getattr(self, name) >= bound:
                other = " or [iteration]" if name == "skip_eval_confidence" else ""
                raise ConfigError(WRONG.format(name=name, value=getattr(self, name), bound=bound, other=other))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Judge the work by the rubric for its task; return None when nothing was answered or changed."""
        if not (work.changed or work.answered):
            return None
        library = await self._load_library(run.workspace, run.koi)
        await self._warn_about_problems(library, run)
        try:
            rubrics = sort_by_merit(library, lambda one: self._certificates_of(one).merit)
            rubric = choose_rubric(rubrics, self.rubric, run.task, preferences(run))
            return await self._apply_certification(rubric, await self._judge(rubric, work, run), run)
        except UnreadableError as error:
            return Evaluation(unavailable_reason=UNREADABLE.format(wrong=error))
        except (ProviderError, PluginNotFoundError, ConfigError) as error:
            return Evaluation(unavailable_reason=str(error))

    async def health(self) -> dict[str, str]:
        """List the available rubrics; raise for an invalid one."""
        library = await self._load_library(None, None)
        if library.complaints:
            raise KoiError(" ".join(library.complaints))
        return {"rubrics": ", ".join(rubric.name for rubric in library.rubrics)}

    async def rubrics(self, koi: Koi) -> Sequence[Rubric]:
        """Return the rubrics that it could use."""
        return (await self._load_library(None, koi)).rubrics

    def stamp(self, rubric: Rubric) -> str:
        """Return a digest of the rubric and the instructions."""
        return digest_texts(*build_instructions(rubric))

    def sample_request(self, sample: RubricSample) -> Request:
        """Return the request for one vote on a sample."""
        return self._input_of(sample).full_request().request

    async def evaluate_sample(self, sample: RubricSample, run: Run) -> Evaluation:
        """Judge a sample with one vote, without cache and certificates."""
        rules = replace(self._rules(RubricCertificates()), votes=1)
        try:
            return await JudgingSession(self._input_of(sample), run, JudgmentCache(), rules).evaluate()
        except UnreadableError as error:
            return Evaluation(unavailable_reason=UNREADABLE.format(wrong=error))

    def _input_of(self, sample: RubricSample) -> JudgeInput:
        """Return the input for a work that was not done by a run."""
        facts = None if sample.rubric.method is Method.RUBRIC else read_facts(sample.work, (), "")
        manner = replace(self._manner, model=sample.model or EVALUATOR)
        return JudgeInput(sample.rubric, sample.task, sample.work, manner, tuple(facts.format()) if facts else ())

    def _certificates_of(self, rubric: Rubric) -> RubricCertificates:
        """Return the certificates of a rubric."""
        if not self.certificates:
            return RubricCertificates()
        return load_certificates(self.folder, rubric.name, self.stamp(rubric))

    async def _apply_certification(self, rubric: Rubric, evaluation: Evaluation, run: Run) -> Evaluation:
        """Return the evaluation, made informational where only certified ones may decide."""
        if not self.require_certified or evaluation.unavailable_reason:
            return evaluation
        model = last_judge_model(run.koi.records(run.task.session), run.id)
        why = self._certificates_of(rubric).reason_not_decisive(model)
        if not why:
            return evaluation
        await run.emit(WarningIssued(INFORMS.format(rubric=rubric.name, why=why)))
        return replace(
            make_informational(evaluation), unavailable_reason=UNCERTIFIED.format(rubric=rubric.name, why=why)
        )

    async def _load_library(self, workspace: Path | None, koi: Koi | None) -> RubricLibrary:
        """Load the rubrics."""
        locations, complaints = await installed_locations(koi) if koi else ([], [])
        places = search_locations(self.folder, workspace, self.path, locations)
        library = load_rubrics(places, self.trust or (Approvals(koi) if koi else None))
        return replace(library, complaints=(*complaints, *library.complaints))

    async def _warn_about_problems(self, library: RubricLibrary, run: Run) -> None:
        """Warn, once per run, about invalid files."""
        for complaint in () if run.iterations else library.complaints:
            await run.emit(WarningIssued(complaint))

    async def _judge(self, rubric: Rubric, work: ExecutionResult, run: Run) -> Evaluation:
        """Judge the work by a rubric."""
        facts = None if rubric.method is Method.RUBRIC else read_facts(work, run.koi.records(run.task.session), run.id)
        if len(work.diff) > self.max_diff:
            await run.emit(WarningIssued(TOO_LONG.format(room=self.max_diff, length=len(work.diff))))
        case = JudgeInput(rubric, run.task, work, self._manner, tuple(facts.format()) if facts else ())
        return await JudgingSession(case, run, self._kept, self._rules(self._certificates_of(rubric))).evaluate()

    @property
    def _manner(self) -> JudgeSettings:
        return JudgeSettings(max_output=self.max_output, temperature=self.temperature, max_diff=self.max_diff)

    def _rules(self, known: RubricCertificates) -> JudgingRules:
        return JudgingRules(
            votes=self.votes,
            band=self.band,
            confidence=self.skip_eval_confidence,
            small=self.small,
            lenient=known.leniency,
            tried=known.overlooks,
        )
