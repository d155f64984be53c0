"""Estimate the cost of a certification before any model is called."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, cast, runtime_checkable

from openkoi_hookspecs import Cost, Event, Koi, Limits, Price, Request, RequestRejectedError, Response, Run
from openkoi_models import Estimator, ModelRouter
from openkoi_report import dollars, plural

from .certifier import Order
from .golden import golden_for
from .judges import Judged
from .sample import samples_of
from .trial import Trial

# Share of the allowed output that a judge usually writes. GUESS: compare it with the cost printed at the end.
ANSWERED = 0.25


class Services(Protocol):
    """What runs share."""

    @property
    def router(self) -> ModelRouter:
        """The models."""


@runtime_checkable
class Open(Protocol):
    """A Koi that knows model prices."""

    @property
    def services(self) -> Services:
        """What runs share."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of a certification's first round: calls of one model."""

    model: str
    calls: int
    usd: float
    known: bool

    def text(self, budget: float) -> str:
        """One or two sentences for the user."""
        price = f"about {dollars(self.usd)}" if math.isfinite(self.usd) else "at an unknown price"
        unsure = "" if self.known else " (the model's price is unknown, so the maximum is assumed)"
        cap = f"Doubtful verdicts need more calls, up to --budget {dollars(budget)}."
        if math.isfinite(self.usd) and self.usd > budget:
            cap = f"That exceeds --budget {dollars(budget)}, so it may not finish. Raise --budget or lower --votes."
        return f"{plural(self.calls, 'call')} of {self.model}, {price}{unsure}. {cap}"


@dataclass(frozen=True, slots=True)
class Measuring(Trial):
    """A trial that calls no model and keeps the requests instead."""

    requests: list[Request] = field(default_factory=list)

    @property
    def koi(self) -> Koi:
        return cast(Koi, self.run)

    @property
    def limits(self) -> Limits:
        return self.task.effective_limits

    @property
    def cost(self) -> Cost:
        return Cost()

    async def chat(self, request: Request) -> Response:
        self.requests.append(request)
        raise RequestRejectedError("No model is called for a price estimate.")

    async def emit(self, event: Event) -> None:
        """Log nothing."""


async def estimate(koi: Koi, judged: Judged, order: Order) -> Estimate:
    """Estimate the first round from what the judge would ask, and from the model's price. Raises NoProviderError."""
    requests = [request for request in await collect_requests(koi, judged, order) for _ in range(order.votes)]
    if not isinstance(koi, Open):
        return Estimate(order.model or "the evaluator", len(requests), math.inf, known=False)
    name = (await koi.services.router.chain(order.model or "evaluator"))[0]
    resolved, estimator = await koi.services.router.resolved(name), Estimator()
    usd = sum(request_cost(request, estimator.tokens(name, request), resolved.price) for request in requests)
    return Estimate(name, len(requests), usd, resolved.known)


async def collect_requests(koi: Koi, judged: Judged, order: Order) -> list[Request]:
    """Collect the requests that the judge would make in the first round."""
    samples = samples_of(golden_for(judged.rubric), [dimension.name for dimension in judged.rubric.dimensions])
    found: list[Request] = []
    with TemporaryDirectory(prefix="openkoi-certify-") as folder:
        for sample in samples:
            lent = cast(Run, koi)  # of a run's own, a judge that is only measured uses what Measuring has
            trial = Measuring(lent, sample.id, sample.task, Path(folder), order.model)
            await judged.judge.held_to(judged.rubric.name).evaluate(sample.work, trial)
            found += trial.requests
    return found


def request_cost(request: Request, tokens: int, price: Price) -> float:
    """Return the dollars for a request, with an answer of usual length."""
    tier = price.at(tokens)
    return (tokens * tier.input + (request.max_output or 0) * ANSWERED * tier.output) / 1e6
