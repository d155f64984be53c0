"""Estimate the tokens of a request before its vendor counts them; estimates improve with each count.

The first estimate is a quarter of the bytes. Each vendor's count then corrects it for that model: conversations only
grow, so only the messages since the last count are estimated.
"""

from dataclasses import field

from openkoi_hookspecs import Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .request_stats import RequestStats

LEARNING_RATE = 0.5  # share of each error that is corrected: within 10 % after 5 calls (issue 3)
MAX_RATIO = 4.0  # ratio of counted to estimated tokens; higher ratios are not believed (estimate)


@dataclass(slots=True)
class Estimator:
    """Estimates by model. Sizes of messages and tools are cached, because conversations only grow."""

    ratio: dict[str, float] = field(default_factory=dict)

    def estimate_tokens(self, model: str, stats: RequestStats) -> int:
        """Estimate the input tokens of a request."""
        return round(stats.tokens * self.ratio.get(model, 1.0))

    def learn(self, model: str, stats: RequestStats, usage: Usage) -> None:
        """Learn from a vendor's count; ignore an impossible one."""
        counted, guessed = usage.prompt, stats.tokens
        if counted <= 0 or guessed <= 0:
            return
        seen = min(MAX_RATIO, max(1 / MAX_RATIO, counted / guessed))
        known = self.ratio.get(model)
        self.ratio[model] = seen if known is None else known + LEARNING_RATE * (seen - known)
