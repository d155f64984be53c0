"""Judge work by the rubric for its task, guided by an evaluator's SKILL.md."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.certifiable import RubricSample
from openkoi_base.skillfile.evaluator import Method, Rubric
from openkoi_hookspecs import (
    ConfigError,
    Evaluation,
    ExecutionResult,
    Koi,
    KoiError,
    PluginNotFoundError,
    ProviderError,
    Request,
    Run,
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
from .judge_options import JudgeOptions
from .judging import JudgingSession
from .rubrics_library import RubricLibrary, installed_locations, load_rubrics, search_locations
from .scores import UnreadableError
from .skip_rules import JudgingRules
from .system_prompt import build_instructions
from .user_preferences import preferences

UNREADABLE = "The judge returned no usable verdict after 2 tries. {wrong} Try another evaluator model."
TOO_LONG = (
    "The judge sees only {room} of the {length} characters of the change (start and end). To show all of it, "
    "raise `max_diff` in [evaluators.judge]."
)


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """The judge behind the plugin, with its ``settings``."""

    settings: JudgeOptions

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Judge the work by the rubric for its task."""
        library = await self._load_library(run.workspace, run.koi)
        await self._warn_about_problems(library, run)
        try:
            rubrics = sort_by_merit(library, lambda one: self._certificates_of(one).merit)
            rubric = choose_rubric(rubrics, self.settings.rubric, run.task, preferences(run))
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
        """Return the rubrics that the judge could use."""
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
        """Return the input for a work that no run produced."""
        facts = None if sample.rubric.method is Method.RUBRIC else read_facts(sample.work, (), "")
        manner = replace(self._manner, model=sample.model or EVALUATOR)
        return JudgeInput(sample.rubric, sample.task, sample.work, manner, tuple(facts.format()) if facts else ())

    def _certificates_of(self, rubric: Rubric) -> RubricCertificates:
        """Return the certificates of a rubric."""
        if not self.settings.certificates:
            return RubricCertificates()
        return load_certificates(self.settings.folder, rubric.name, self.stamp(rubric))

    async def _apply_certification(self, rubric: Rubric, evaluation: Evaluation, run: Run) -> Evaluation:
        """Return the evaluation; if only certified ones may decide and this one is not, make it informational."""
        if not self.settings.require_certified or evaluation.unavailable_reason:
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
        places = search_locations(self.settings.folder, workspace, self.settings.path, locations)
        library = load_rubrics(places, self.settings.trust or (Approvals(koi) if koi else None))
        return replace(library, complaints=(*complaints, *library.complaints))

    async def _warn_about_problems(self, library: RubricLibrary, run: Run) -> None:
        """Warn, once per run, about invalid files."""
        for complaint in () if run.iterations else library.complaints:
            await run.emit(WarningIssued(complaint))

    async def _judge(self, rubric: Rubric, work: ExecutionResult, run: Run) -> Evaluation:
        """Judge the work by a rubric."""
        facts = None if rubric.method is Method.RUBRIC else read_facts(work, run.koi.records(run.task.session), run.id)
        if len(work.diff) > self.settings.max_diff:
            await run.emit(WarningIssued(TOO_LONG.format(room=self.settings.max_diff, length=len(work.diff))))
        case = JudgeInput(rubric, run.task, work, self._manner, tuple(facts.format()) if facts else ())
        return await JudgingSession(
            case, run, self.settings.kept, self._rules(self._certificates_of(rubric))
        ).evaluate()

    @property
    def _manner(self) -> JudgeSettings:
        return JudgeSettings(
            max_output=self.settings.max_output, temperature=self.settings.temperature, max_diff=self.settings.max_diff
        )

    def _rules(self, known: RubricCertificates) -> JudgingRules:
        return JudgingRules(
            votes=self.settings.votes,
            band=self.settings.band,
            confidence=self.settings.skip_eval_confidence,
            small=self.settings.small,
            lenient=known.leniency,
            tried=known.overlooks,
        )
