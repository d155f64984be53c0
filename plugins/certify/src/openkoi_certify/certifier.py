"""Show a judge all samples, and write its certificate; a certification is a task, with its costs and log."""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import (
    ConfigError,
    DataDir,
    Evaluation,
    Event,
    ExecutionResult,
    KoiError,
    Plan,
    PluginNotFoundError,
    ProviderError,
    Run,
)
from openkoi_hookspecs.events import ModelResponse
from openkoi_hookspecs.lazy_dataclass import dataclass

from .adaptive_exam import AdaptiveExam
from .certificate import FOLDER, Certificate, find_previous, load_certificates, measure_drift, save_certificate
from .golden_set import find_golden_set
from .judges import RubricAndJudge, find_rubric
from .metrics import JudgeAnswer, Measures, record_answer
from .sample import Sample, hash_samples, make_reserve_samples, make_samples

MAX_CONCURRENT_CALLS = 4  # estimate: below the rate limits of the vendors' first tiers
NO_MODEL = "Nothing was certified, because no model answered."
SEVERAL_MODELS = (
    "Several models answered ({}), but a certificate covers only one. Choose one with --model PROVIDER/MODEL."
)


@dataclass(frozen=True, slots=True)
class SampleJudged(Event):
    """Progress: how many judgments are done, of those planned so far."""

    name = "certify.sample_judged"
    durable = False
    done: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyOptions:
    """The rubric, the model (empty for the configured one), and the number of votes."""

    rubric: str
    model: str = ""
    votes: int = 3

    def __str__(self) -> str:
        return json.dumps({"rubric": self.rubric, "model": self.model, "votes": self.votes})


def parse_options(text: str) -> CertifyOptions:
    """Parse the options from a task's context; raise KoiError."""
    try:
        facts = json.loads(text)
        return CertifyOptions(
            rubric=str(facts["rubric"]), model=str(facts.get("model", "")), votes=int(facts.get("votes", 3))
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise KoiError("No rubric was given. Run `openkoi evaluator certify NAME`.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Certifier:
    """The worker ``certify``; ``folder`` contains the certificates, ``sessions`` the run log."""

    folder: Annotated[Path, DataDir(FOLDER)]
    sessions: Annotated[Path, DataDir("sessions")]

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Certify the rubric that the task's context names."""
        order = parse_options(run.task.context)
        judged = await find_rubric(run.koi, order.rubric)
        golden = find_golden_set(judged.rubric)
        dimensions = [dimension.name for dimension in judged.rubric.dimensions]
        samples = make_samples(golden, dimensions)
        asking = SampleSession(judged, order, run)
        examination = AdaptiveExam(samples, make_reserve_samples(golden, dimensions))
        while shown := examination.next_samples():
            examination.add_answers(await asking.collect_answers(shown))
        certificate = self.make_certificate(
            judged, hash_samples(samples), examination.measures, find_model(run), order.votes
        )
        return ExecutionResult(str(save_certificate(self.folder, certificate)))

    def make_certificate(
        self, judged: RubricAndJudge, golden: str, measures: Measures, model: str, votes: int
    ) -> Certificate:
        """Create a certificate from the measures, and compare it with the previous one."""
        at = datetime.now(UTC).isoformat()
        rubric, stamp = judged.rubric.name, judged.stamp
        certificate = Certificate(rubric, stamp, model, golden=golden, at=at, votes=votes, measures=measures)
        before = find_previous(list(load_certificates(self.folder, judged.rubric.name)), certificate)
        return replace(certificate, drift=measure_drift(certificate, before))


@dataclass(slots=True)
class SampleSession:
    """Shows samples to a judge, a few at a time; no call sees the answers of other calls."""

    judged: RubricAndJudge
    order: CertifyOptions
    run: Run
    done: int = 0
    planned: int = 0
    has_answer: bool = False
    first_error: KoiError | None = None

    async def collect_answers(self, samples: Sequence[Sample]) -> list[JudgeAnswer]:
        """Show each sample as many times as there are votes."""
        free = asyncio.Semaphore(MAX_CONCURRENT_CALLS)

        async def judge(sample: Sample) -> JudgeAnswer:
            async with free:
                answer = await self.judge_sample(sample)
            self.done += 1
            await self.run.emit(SampleJudged(self.done, self.planned))
            return answer

        several = [sample for _ in range(self.order.votes) for sample in samples]
        self.planned += len(several)
        return await gather_answers([judge(sample) for sample in several])

    async def judge_sample(self, sample: Sample) -> JudgeAnswer:
        """Show a sample once; before any answer, a provider error is raised instead of recorded."""
        if self.first_error:
            raise self.first_error
        shown = self.judged.sample(sample, self.order.model)
        try:
            judgment = await self.judged.judge.evaluate_sample(shown, self.run)
        except (ProviderError, PluginNotFoundError, ConfigError) as error:
            if not self.has_answer:
                self.first_error = error
                raise
            judgment = Evaluation(unavailable_reason=str(error))
        self.has_answer = True
        return record_answer(sample, judgment)


async def gather_answers(several: Sequence[Coroutine[None, None, JudgeAnswer]]) -> list[JudgeAnswer]:
    """Await all; the first error cancels the rest and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in several]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


def find_model(run: Run) -> str:
    """Return the one model that answered; raise KoiError for none or several."""
    records = (record for record in run.koi.records(run.task.session) if record.run == run.id)
    models = sorted({record.event.model for record in records if isinstance(record.event, ModelResponse)})
    if len(models) == 1:
        return models[0]
    raise KoiError(SEVERAL_MODELS.format(", ".join(models)) if models else NO_MODEL)
