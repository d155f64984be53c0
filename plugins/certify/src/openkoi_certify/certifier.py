"""Try a judge with all samples, and write its certificate. A worker: a certification is a task, paid and logged.

Knows the run; what the answers are worth is decided elsewhere.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from openkoi_hookspecs import Data, KoiError, Plan, Run, Work
from openkoi_hookspecs.events import Answered

from .certificate import FOLDER, Certificate, drifted, keep, kept, last_of
from .golden import golden_for
from .judges import Judged, named
from .measures import Heard, heard, measured
from .sample import Sample, samples_of, version_of

AT_ONCE = 4
NO_MODEL = "No model answered, so there is nothing to certify."
SEVERAL = "Several models answered ({}), and a certificate holds for one. Name it: --model provider/model."


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which rubric is to be certified, by which model if not the configured one, and with how many votes."""

    rubric: str
    model: str = ""
    votes: int = 3

    def __str__(self) -> str:
        return json.dumps({"rubric": self.rubric, "model": self.model, "votes": self.votes})


def order_of(text: str) -> Order:
    """Read an order from a task; raises KoiError."""
    try:
        facts = json.loads(text)
        return Order(rubric=str(facts["rubric"]), model=str(facts.get("model", "")), votes=int(facts.get("votes", 3)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise KoiError("This is no order for a certificate. Use: openkoi evaluator certify NAME") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Certifier:
    """The worker ``certify``; ``folder`` is where certificates are kept, ``sessions`` the run log."""

    folder: Annotated[Path, Data(FOLDER)]
    sessions: Annotated[Path, Data("sessions")]

    async def work(self, plan: Plan, run: Run) -> Work:
        """Certify what the task's context orders."""
        order = order_of(run.task.context)
        judged = named(run, order.rubric)
        samples = samples_of(golden_for(judged.rubric), [dimension.name for dimension in judged.rubric.dimensions])
        answers = await asked(judged, samples, order, run)
        certificate = self.certified(judged, samples, answers, the_model(run), order.votes)
        return Work(str(keep(self.folder, certificate)))

    def certified(
        self, judged: Judged, samples: Sequence[Sample], answers: Sequence[Heard], model: str, votes: int
    ) -> Certificate:
        """Make a certificate of the answers, and compare it with the last one."""
        certificate = Certificate(
            judged.rubric.name,
            judged.stamp,
            model,
            golden=version_of(samples),
            at=datetime.now(UTC).isoformat(),
            votes=votes,
            measures=measured(samples, answers),
        )
        before = last_of(list(kept(self.folder, judged.rubric.name)), certificate)
        return replace(certificate, drift=drifted(certificate, before))


async def asked(judged: Judged, samples: Sequence[Sample], order: Order, run: Run) -> list[Heard]:
    """Show every sample so many times, a few at once; each time to a judge that remembers nothing."""
    free = asyncio.Semaphore(AT_ONCE)
    with TemporaryDirectory(prefix="openkoi-certify-") as folder:

        async def one(sample: Sample, vote: int) -> Heard:
            from .trial import Trial

            async with free:
                trial = Trial(run, f"{run.id}/{vote}/{sample.id}", sample.task, Path(folder), order.model)
                return heard(sample, await judged.judge.held_to(judged.rubric.name).evaluate(sample.work, trial))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(sample, vote)) for vote in range(order.votes) for sample in samples]
    return [task.result() for task in tasks]


def the_model(run: Run) -> str:
    """The one model that answered; raises KoiError where there was none, or several."""
    records = (record for record in run.records(run.task.session) if record.run == run.id)
    models = sorted({record.event.model for record in records if isinstance(record.event, Answered)})
    if len(models) == 1:
        return models[0]
    raise KoiError(SEVERAL.format(", ".join(models)) if models else NO_MODEL)
