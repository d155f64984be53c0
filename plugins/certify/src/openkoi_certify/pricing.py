"""What a certification will cost about, told before any model is asked. Knows prices, and what a judge would ask."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, cast, runtime_checkable

from openkoi_hookspecs import Event, Koi, Price, Record, Refused, Reply, Request, Run, Spend
from openkoi_models import Estimator
from openkoi_report import dollars, plural

from .certifier import Order
from .golden import golden_for
from .judges import Judged
from .sample import samples_of
from .trial import Trial

# What a judge answers of what it may. GUESS: the cost that is printed at the end tells how good it is.
ANSWERED = 0.25


class Priced(Protocol):
    """A model with its price. ``known`` is false where it is counted at a ceiling."""

    @property
    def price(self) -> Price:
        """Dollars per million tokens."""

    @property
    def known(self) -> bool:
        """Whether somebody says so."""


class Models(Protocol):
    """The models that play roles."""

    async def chain(self, role: str) -> Sequence[str]:
        """The models of a role, or of a name, the first one first."""

    async def player(self, name: str) -> Priced:
        """The model of this full name."""


@runtime_checkable
class Open(Protocol):
    """A Koi that tells what models cost, and what happens in its runs."""

    listeners: list[Callable[[Record], None]]

    @property
    def cast(self) -> Models:
        """The models."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what the first round of a certification costs: so many calls of one model."""

    model: str
    calls: int
    usd: float
    known: bool

    def text(self, budget: float) -> str:
        """One or two sentences for the user."""
        price = f"about {dollars(self.usd)}" if math.isfinite(self.usd) else "at a price that is not known"
        unsure = "" if self.known else " (the price of the model is not known and counted at a ceiling)"
        cap = f"More calls follow where the verdict is in doubt, up to --budget {dollars(budget)}."
        if math.isfinite(self.usd) and self.usd > budget:
            cap = f"That is more than --budget {dollars(budget)}: it may not finish. Raise it, or lower --votes."
        return f"{plural(self.calls, 'call')} of {self.model}, {price}{unsure}. {cap}"


@dataclass(frozen=True, slots=True)
class Measuring(Trial):
    """A trial in which no model is asked: what would have been asked is kept."""

    requests: list[Request] = field(default_factory=list)

    @property
    def spent(self) -> Spend:
        return Spend()

    async def chat(self, request: Request) -> Reply:
        self.requests.append(request)
        raise Refused("Only the price is wanted.")

    async def emit(self, event: Event) -> None:
        """Nothing is logged."""


async def estimate(koi: Koi, judged: Judged, order: Order) -> Estimate:
    """Estimate the first round from what the judge would ask, and from the model's price. Raises NoProvider."""
    requests = [request for request in await questions(koi, judged, order) for _ in range(order.votes)]
    if not isinstance(koi, Open):
        return Estimate(order.model or "the evaluator", len(requests), math.inf, known=False)
    name = (await koi.cast.chain(order.model or "evaluator"))[0]
    player, estimator = await koi.cast.player(name), Estimator()
    usd = sum(cost(request, estimator.tokens(name, request), player.price) for request in requests)
    return Estimate(name, len(requests), usd, player.known)


async def questions(koi: Koi, judged: Judged, order: Order) -> list[Request]:
    """What the judge would ask about each sample of the first round."""
    samples = samples_of(golden_for(judged.rubric), [dimension.name for dimension in judged.rubric.dimensions])
    found: list[Request] = []
    with TemporaryDirectory(prefix="openkoi-certify-") as folder:
        for sample in samples:
            lent = cast(Run, koi)  # of a run's own, a judge that is only measured uses what Measuring has
            trial = Measuring(lent, sample.id, sample.task, Path(folder), order.model)
            await judged.judge.held_to(judged.rubric.name).evaluate(sample.work, trial)
            found += trial.requests
    return found


def cost(request: Request, tokens: int, price: Price) -> float:
    """Dollars for a question, and for an answer as long as most are."""
    tier = price.at(tokens)
    return (tokens * tier.input + (request.max_output or 0) * ANSWERED * tier.output) / 1e6
