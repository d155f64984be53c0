"""Try a judge with all samples, and write its certificate. A worker: a certification is a task, paid and logged.

Knows the run; what the answers are worth is decided elsewhere.
"""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
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

from .certificate import FOLDER, Certificate, drift_between, keep, last_of, load_certificates
from .doubt import AdaptiveExam
from .golden import golden_for
from .judges import RubricAndJudge, find_rubric
from .measures import JudgeAnswer, Measures, record_answer
from .sample import Sample, further_samples, samples_of, version_of

AT_ONCE = 4
NO_MODEL = "No model answered, so there is nothing to certify."
SEVERAL = "Several models answered ({}), and a certificate holds for one. Name it: --model provider/model."


@dataclass(frozen=True, slots=True)
class SampleJudged(Event):
    """A sample was judged: how many judgements are done, of those planned so far."""

    name = "certify.sample_judged"
    durable = False
    done: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyOptions:
    """The rubric to certify, the model unless configured, and the number of votes."""

    rubric: str
    model: str = ""
    votes: int = 3

    def __str__(self) -> str:
        return json.dumps({"rubric": self.rubric, "model": self.model, "votes": self.votes})


def order_of(text: str) -> CertifyOptions:
    """Read an order from a task; raises KoiError."""
    try:
        facts = json.loads(text)
        return CertifyOptions(
            rubric=str(facts["rubric"]), model=str(facts.get("model", "")), votes=int(facts.get("votes", 3))
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise KoiError("A certificate needs a rubric. Use: openkoi evaluator certify NAME") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Certifier:
    """The worker ``certify``; ``folder`` is where certificates are kept, ``sessions`` the run log."""

    folder: Annotated[Path, DataDir(FOLDER)]
    sessions: Annotated[Path, DataDir("sessions")]

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Certify what the task's context orders."""
        order = order_of(run.task.context)
        judged = await find_rubric(run.koi, order.rubric)
        golden = golden_for(judged.rubric)
        dimensions = [dimension.name for dimension in judged.rubric.dimensions]
        samples = samples_of(golden, dimensions)
        asking = Asking(judged, order, run)
        examination = AdaptiveExam(samples, further_samples(golden, dimensions))
        while shown := examination.next():
            examination.take(await asking.answers(shown))
        certificate = self.make_certificate(
            judged, version_of(samples), examination.measures, the_model(run), order.votes
        )
        return ExecutionResult(str(keep(self.folder, certificate)))

    def make_certificate(
        self, judged: RubricAndJudge, golden: str, measures: Measures, model: str, votes: int
    ) -> Certificate:
        """Make a certificate of what was measured, and compare it with the last one."""
        at = datetime.now(UTC).isoformat()
        rubric, stamp = judged.rubric.name, judged.stamp
        certificate = Certificate(rubric, stamp, model, golden=golden, at=at, votes=votes, measures=measures)
        before = last_of(list(load_certificates(self.folder, judged.rubric.name)), certificate)
        return replace(certificate, drift=drift_between(certificate, before))


@dataclass(slots=True)
class Asking:
    """Showing samples to a judge, a few at once; each time to one that remembers nothing."""

    judged: RubricAndJudge
    order: CertifyOptions
    run: Run
    done: int = 0
    due: int = 0
    heard: bool = False
    fault: KoiError | None = None

    async def answers(self, samples: Sequence[Sample]) -> list[JudgeAnswer]:
        """Show each of them as many times as was ordered."""
        free = asyncio.Semaphore(AT_ONCE)

        async def one(sample: Sample) -> JudgeAnswer:
            async with free:
                answer = await self.one(sample)
            self.done += 1
            await self.run.emit(SampleJudged(self.done, self.due))
            return answer

        several = [sample for _ in range(self.order.votes) for sample in samples]
        self.due += len(several)
        return await together([one(sample) for sample in several])

    async def one(self, sample: Sample) -> JudgeAnswer:
        """Show one sample once more. When no model has answered anything yet, what kept it from it is raised."""
        if self.fault:
            raise self.fault
        shown = self.judged.sample(sample, self.order.model)
        try:
            said = await self.judged.judge.evaluate_sample(shown, self.run)
        except (ProviderError, PluginNotFoundError, ConfigError) as error:
            if not self.heard:
                self.fault = error
                raise
            said = Evaluation(unavailable_reason=str(error))
        self.heard = True
        return record_answer(sample, said)


async def together(several: Sequence[Coroutine[None, None, JudgeAnswer]]) -> list[JudgeAnswer]:
    """All at once; the first that fails ends the others, and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in several]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


def the_model(run: Run) -> str:
    """The one model that answered; raises KoiError where there was none, or several."""
    records = (record for record in run.koi.records(run.task.session) if record.run == run.id)
    models = sorted({record.event.model for record in records if isinstance(record.event, ModelResponse)})
    if len(models) == 1:
        return models[0]
    raise KoiError(SEVERAL.format(", ".join(models)) if models else NO_MODEL)
