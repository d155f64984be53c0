"""Estimate the cost of a certification before any model is called."""

import math

from openkoi_base.counts import format_count
from openkoi_hookspecs import Koi, Price, Request
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_models import stats_of
from openkoi_runlog.report import format_dollars

from .certifier import CertifyOptions
from .golden_set import find_golden_set
from .judges import RubricAndJudge
from .sample import make_samples

OUTPUT_SHARE = 0.25  # share of the allowed output that a judge usually writes; estimate, not measured


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of a certification's first round."""

    model: str
    calls: int
    usd: float
    known: bool

    def text(self, budget: float) -> str:
        """Return the estimate in one or two sentences."""
        price = f"about {format_dollars(self.usd)}" if math.isfinite(self.usd) else "at an unknown price"
        unsure = "" if self.known else " (the model's price is unknown, so models.unknown_price is assumed)"
        limit = f"--budget {format_dollars(budget)}"
        cap = f"Uncertain verdicts need more calls, up to {limit}."
        if math.isfinite(self.usd) and self.usd > budget:
            cap = f"That exceeds {limit}, so the certification may not finish. Raise --budget or lower --votes."
        return f"{format_count(self.calls, 'call')} to {self.model}, {price}{unsure}. {cap}"


async def estimate(koi: Koi, judged: RubricAndJudge, order: CertifyOptions) -> Estimate:
    """Estimate the first round from the judge's requests and the model's price. Raises NoProviderError."""
    requests = list_requests(judged, order)
    model = await koi.describe_model(order.model or "evaluator")
    price = model.price or Price(*koi.setting("models.unknown_price", list, []))
    usd = sum(request_cost(request, stats_of(request).tokens, price) for request in requests)
    return Estimate(model.name, len(requests), usd, model.price is not None)


def list_requests(judged: RubricAndJudge, order: CertifyOptions) -> list[Request]:
    """Return the requests that the judge makes in the first round."""
    samples = make_samples(find_golden_set(judged.rubric), [dimension.name for dimension in judged.rubric.dimensions])
    each = [judged.judge.sample_request(judged.sample(sample, order.model)) for sample in samples]
    return [request for request in each for _ in range(order.votes)]


def request_cost(request: Request, tokens: int, price: Price) -> float:
    """Return the dollars for a request, with an answer of usual length."""
    tier = price.at(tokens)
    return (tokens * tier.input + (request.max_output or 0) * OUTPUT_SHARE * tier.output) / 1e6
