"""How many tokens a request will be, before its vendor has counted it; the more was counted, the closer.

A quarter of the bytes is where it begins. Each vendor's count then corrects it for that model: a conversation grows by
appending, so what was counted last is known, and only what was added since is estimated.
"""

from dataclasses import dataclass, field

from openkoi_hookspecs import Usage

from .request_stats import RequestStats

LEARNING = 0.5
WIDEST = 4.0


@dataclass(slots=True)
class Estimator:
    """Estimates by model."""

    ratio: dict[str, float] = field(default_factory=dict)

    def tokens(self, model: str, stats: RequestStats) -> int:
        """Input tokens that a request will be, about."""
        return round(stats.tokens * self.ratio.get(model, 1.0))

    def learn(self, model: str, stats: RequestStats, usage: Usage) -> None:
        """Take a vendor's count into account; one that cannot be is not believed."""
        counted, guessed = usage.input + usage.cache_read + usage.cache_write, stats.tokens
        if counted <= 0 or guessed <= 0:
            return
        seen = min(WIDEST, max(1 / WIDEST, counted / guessed))
        known = self.ratio.get(model)
        self.ratio[model] = seen if known is None else known + LEARNING * (seen - known)
