"""Reserve the maximum cost of one request."""

import math
from dataclasses import field, replace
from secrets import token_hex

from openkoi_base.random_id import RandomId
from openkoi_hookspecs import Amount, Price, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

INPUT_MARGIN = 1.25  # reserved input per estimated input, because estimates can be too low (estimate)
ROUNDING = 1e-9
MAX_TRUSTED_FACTOR = 4.0  # multiple of the worst case; if a vendor counts more, the task ends (estimate)
MIN_ANSWER_TOKENS = 256  # tokens of a useful answer; a call without room for them is refused (estimate)
NORMAL_MARGIN = 1.05  # margin below which a widened reservation returns to normal (estimate)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The reservation for one request, and the output that it allows.

    ``rate`` is the price of an output token in dollars. ``wide`` multiplies the worst case, because more was counted
    than reserved before.
    """

    tokens: int
    usd: float
    max_output: int
    rate: float = 0.0
    wide: float = 1.0
    id: str = field(default_factory=lambda: RandomId(token_hex(8)), compare=False)

    @property
    def amount(self) -> Amount:
        """The reserved amount."""
        return Amount(tokens=self.tokens, usd=self.usd)

    @property
    def least(self) -> "Reservation":
        """The amount with the shortest useful answer."""
        return self.with_max_output(min(MIN_ANSWER_TOKENS, self.max_output))

    def with_max_output(self, output: int) -> "Reservation":
        """Return the reservation for an answer that is cut off after this many tokens."""
        less = (self.max_output - output) * self.wide
        return replace(self, tokens=int(self.tokens - less), usd=self.usd - less * self.rate, max_output=output)

    def limited_to(self, granted: Amount) -> "Reservation":
        """Return the reservation with at most this amount, which must be at least ``least``."""
        dollars = (self.usd - granted.usd) / self.rate if self.rate else 0.0
        less = math.ceil(max(self.tokens - granted.tokens, dollars, 0.0) / self.wide)
        return self.with_max_output(max(self.least.max_output, self.max_output - less))

    def so_far(self, output: int) -> tuple[Usage, float]:
        """Return the charge for a request whose answer broke off at this length."""
        missing = max(0, self.max_output - output) * self.wide
        used = Usage(input=round(self.tokens - self.max_output * self.wide), output=min(output, self.max_output))
        return used, max(0.0, self.usd - missing * self.rate)

    def cap_usage(self, usage: Usage) -> Usage:
        """Return the part of a count that was reserved; the rest is not charged."""
        if usage.total <= self.tokens:
            return usage
        output = min(usage.output, int(self.max_output * self.wide))
        if usage.prompt <= self.tokens - output:
            return replace(usage, output=output)
        return Usage(input=self.tokens - output, output=output)

    def overrun_factor(self, usage: Usage, usd: float) -> float:
        """Return how many times the worst case was used."""
        dollars = usd / self.usd if usd > self.usd + ROUNDING and self.usd > 0 else 0.0
        return self.wide * max(usage.total / self.tokens if self.tokens else math.inf, dollars)

    def limit_exceeded_by(self, usage: Usage) -> str:
        """Return the name of the limit that a response exceeded."""
        return (
            f"{self.tokens:,} tokens reserved for one call"
            if usage.total > self.tokens
            else f"${self.usd:.4f} reserved for one call"
        )

    def describe_excess(self, usage: Usage, usd: float) -> str:
        """Describe for the user what was used beyond the reservation; empty if nothing was."""
        if usage.total > self.tokens:
            return f"counted {usage.total:,} tokens, but {self.tokens:,} were reserved"
        return f"cost ${usd:.4f}, but ${self.usd:.4f} was reserved" if usd > self.usd + ROUNDING else ""


@dataclass(slots=True)
class EstimateMargin:
    """The factor by which a task and its sub-tasks reserve more than the worst case, since a vendor counted more."""

    wide: float = 1.0
    strikes: int = 0

    def widen_after(self, lease: Reservation, times: float) -> bool:
        """Reserve more from now on; return whether that cannot help: the excess was too large, or occurred again."""
        self.strikes += lease.wide >= self.wide
        self.wide = max(self.wide, times * INPUT_MARGIN)
        return times > MAX_TRUSTED_FACTOR or self.strikes > 1

    def relax(self) -> None:
        """Reserve less after a count within what was reserved."""
        self.strikes = 0
        self.wide = (1.0 + self.wide) / 2 if self.wide > NORMAL_MARGIN else 1.0


def max_price(price: Price, tokens: int) -> Price:
    """Return the price of a request of uncertain length: the highest for each part."""
    other = price.at(round(tokens * INPUT_MARGIN))
    return Price(
        max(price.input, other.input),
        max(price.output, other.output),
        max(price.cache_read, other.cache_read),
        max(price.cache_write, other.cache_write),
    )
