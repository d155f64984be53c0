"""Suggest a cheaper model for the role ``small``, which reflects on runs and makes simple judgements."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, Model, Price

ROLE = "small"
MAX_SHARE = 0.4  # share of the price: haiku costs a third of sonnet, mini or flash a seventh of its family (estimate)
MIN_CONTEXT = 32_000  # tokens of context, so that the record of a run fits (estimate)
# Input tokens for each output token: a lesson is short, and the record that it is drawn from is long (estimate).
INPUT_SHARE = 10


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model that costs less than the one in use, and what part of the cost it saves."""

    now: str
    model: str
    saves: float

    def format(self, spent: float) -> str:
        """Return the suggestion, with what it would have saved of the dollars ``spent`` in the last 30 days."""
        money = f" and would have saved ${self.saves * spent:.2f} of ${spent:.2f} in the last 30 days" if spent else ""
        return (
            f"{self.now}; {self.model} costs {self.saves:.0%} less for reflection and simple judgments{money}. "
            f"To use it, run `openkoi config set models.small {self.model}`."
        )


async def describe_small_model(koi: "Koi", sessions: Path) -> str:
    """Return the model of the role small, and a cheaper one of its provider where none is configured."""
    from openkoi_hookspecs import KoiError

    from .models import list_models

    try:
        now = await koi.resolve_model(ROLE)
        if koi.setting(f"models.{ROLE}", str, ""):
            return now
        found = suggest(now, koi.price(now), await list_models(koi, now.partition("/")[0]), koi)
    except KoiError:  # a part above says what is wrong with the provider
        return ""
    return found.format(sum(dollars_spent(sessions))) if found else now


def suggest(now: str, price: "Price | None", models: "Mapping[str, Model]", koi: "Koi") -> Suggestion | None:
    """Return the most expensive of the much cheaper models: the most able one that still saves most of the cost."""
    most = blend(price)
    known = {name: blend(koi.price(name) or one.price) for name, one in models.items() if one.context >= MIN_CONTEXT}
    cheaper = {name: cost for name, cost in known.items() if 0 < cost <= MAX_SHARE * most}
    best = max(cheaper, key=lambda name: (cheaper[name], name), default="")
    return Suggestion(now, best, 1 - cheaper[best] / most) if best else None


def blend(price: "Price | None") -> float:
    """Return the cost of a typical call at a price; 0.0 for an unknown price."""
    return INPUT_SHARE * price.input + price.output if price else 0.0


def dollars_spent(sessions: Path) -> Iterable[float]:
    """Yield the cost of each call of the role in the last 30 days."""
    from openkoi_hookspecs import events

    from .cost_view import read_records, span_start

    start = span_start(30)
    for record in read_records(sessions, (events.ModelResponse,)):
        if record.at >= start and isinstance(record.event, events.ModelResponse) and record.event.role == ROLE:
            yield record.event.usd
