"""Track the budget of a task: what it and its sub-tasks may still spend of its limits on cost, tokens and time.

A budget is a lease: the worst case of a request is reserved before it is sent, and any unused amount is released. So
spending never exceeds a limit, even with many requests at once, and sub-tasks pay from what is left.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field, replace
from time import monotonic

from openkoi_hookspecs import Amount, Cost, LimitExceededError, Limits, Price, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .call_cost import budget_tokens, cost_of_call
from .reservation import (
    INPUT_MARGIN,
    MIN_ANSWER_TOKENS,
    EstimateMargin,
    Reservation,
    max_price,
)

MAX_KEPT_SHARE = 0.25  # share of a limit, kept for the judge; a small budget is mostly for the work (estimate)


@dataclass(slots=True)
class TaskBudget:
    """One task's limits, its spending, and its reservations."""

    limits: Limits
    parent: "TaskBudget | None" = None
    clock: Callable[[], float] = monotonic
    used: Cost = Cost()
    leases: list[Reservation] = field(default_factory=list)
    margin: EstimateMargin = field(default_factory=EstimateMargin)
    started: float = 0.0
    refused: str = ""
    exceeded: str = ""
    kept: Cost = Cost()
    waits: int = 0
    stopped: float = 0.0
    deadlines: set[asyncio.Timeout] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.started = self.clock()
        if self.parent:
            self.margin = self.parent.margin

    @property
    def cost(self) -> Cost:
        """The cost so far."""
        return replace(self.used, seconds=self.now - self.started)

    @property
    def seconds_left(self) -> float:
        """The remaining time of the task."""
        own = self.limits.seconds - (self.now - self.started)
        return own if self.parent is None else min(own, self.parent.seconds_left)

    @property
    def overspent(self) -> str:
        """The limit that was overspent beyond its reservation, by this task or another with the same budget."""
        return self.exceeded or (self.parent.overspent if self.parent else "")

    @property
    def tokens_left(self) -> float:
        return self.own_tokens if self.parent is None else min(self.own_tokens, self.parent.tokens_left)

    @property
    def own_tokens(self) -> float:
        return (
            self.limits.tokens
            - self.used.budget_tokens
            - sum(lease.tokens for lease in self.leases)
            - self.kept.budget_tokens
        )

    @property
    def usd_left(self) -> float:
        return self.own_usd if self.parent is None else min(self.own_usd, self.parent.usd_left)

    @property
    def own_usd(self) -> float:
        return self.limits.usd - self.used.usd - sum(lease.usd for lease in self.leases) - self.kept.usd

    @property
    def calls_left(self) -> float:
        own = self.limits.calls - self.used.calls - len(self.leases) - self.kept.calls
        return own if self.parent is None else min(own, self.parent.calls_left)

    def keep_back(self, tokens: int, usd: float) -> None:
        """Reserve one call of this size for the judge: only the next call of this method releases it."""
        self.kept = Cost(
            budget_tokens=min(tokens, int(MAX_KEPT_SHARE * self.limits.tokens)),
            usd=min(usd, MAX_KEPT_SHARE * self.limits.usd),
            calls=int(tokens > 0 and self.limits.calls > 1),
        )

    def is_small_for(self, tokens: int, usd: float) -> bool:
        """Return whether a call of this size exceeds the share of a limit that is reserved for it."""
        limits = self.limits
        return (
            tokens > MAX_KEPT_SHARE * limits.tokens
            or usd > MAX_KEPT_SHARE * limits.usd
            or MAX_KEPT_SHARE * limits.calls < 1
        )

    def reserve(self, estimate: int, max_output: int, price: Price) -> Reservation:
        """Reserve the worst case of a request, with a shorter answer if needed; raise LimitExceededError."""
        tokens_in, wide = round(estimate * INPUT_MARGIN), self.margin.wide
        price = max_price(price, tokens_in)
        usd_in = tokens_in * max(price.input, price.cache_read, price.cache_write) / 1e6
        output = self.affordable_output(tokens_in, usd_in, max_output, price)
        self.refused = self.limit_reached(output, min(MIN_ANSWER_TOKENS, max_output), usd_in * wide)
        if self.refused:
            raise LimitExceededError(self.refused)
        rate = price.output / 1e6
        tokens, usd = int((tokens_in + output) * wide), (usd_in + output * rate) * wide
        return self.hold(Reservation(tokens, usd, output, rate, wide))

    def affordable_output(self, tokens_in: int, usd_in: float, max_output: int, price: Price) -> int:
        """Return the maximum length of an answer; -1 if there are no tokens even for the request."""
        tokens_left, usd_left = self.tokens_left / self.margin.wide, self.usd_left / self.margin.wide
        output = min(max_output, int(tokens_left) - tokens_in)
        if output < min(MIN_ANSWER_TOKENS, max_output):
            return -1
        if price.output > 0:
            output = int(min(output, max(0.0, usd_left - usd_in) / price.output * 1e6))
        return output

    def limit_reached(self, output: int, least: int, usd_in: float) -> str:
        """Return the limit that a request would exceed; empty if none."""
        if self.calls_left <= 0:
            return "calls"
        if self.seconds_left <= 0:
            return "seconds"
        if self.overspent:
            return self.overspent
        if output < 0:
            return "tokens"
        return "dollars" if output < least or self.usd_left < usd_in else ""

    def hold(self, lease: Reservation) -> Reservation:
        if self.parent is not None:
            self.parent.hold(lease)
        self.leases.append(lease)
        return lease

    def shorten(self, lease: Reservation, granted: Amount) -> Reservation:
        """Reserve at most what the shared budget granted; return the reservation with a shorter answer."""
        self.release(lease)
        return self.hold(lease.limited_to(granted))

    def settle(self, lease: Reservation, usage: Usage, price: Price, *, counted: Usage | None = None) -> float:
        """Replace a reservation with the charge, at most the reserved dollars; return the dollars.

        If more was ``counted`` than reserved, more is reserved from now on; the task ends if that is useless.
        """
        counted = counted or usage
        usd = price.cost(counted)
        if not lease.describe_excess(counted, usd):
            self.margin.relax()
        elif self.margin.widen_after(lease, lease.overrun_factor(counted, usd)):
            self.overspend(lease.limit_exceeded_by(counted))
        charged = min(price.cost(usage), lease.usd)
        self.charge(lease, cost_of_call(usage, charged, budget_tokens(usage, price.at(usage.prompt))))
        return charged

    @property
    def over(self) -> bool:
        """Whether no more calls are allowed: a limit is exceeded, or a vendor's counts cannot be bounded."""
        tokens, usd = self.tokens_left + self.kept.budget_tokens, self.usd_left + self.kept.usd
        return bool(self.overspent) or min(tokens, usd) < 0

    def overspend(self, limit: str) -> None:
        """Record that a vendor counted more than was reserved: no calls are made after that."""
        self.exceeded = self.exceeded or limit
        if self.parent is not None:
            self.parent.overspend(limit)

    def charge(self, lease: Reservation, spent: Cost) -> None:
        self.leases.remove(lease)
        self.used += spent
        if self.parent is not None:
            self.parent.charge(lease, spent)

    def remember(self, usage: Usage, usd: float) -> None:
        """Count an earlier paid call of this task or its sub-tasks; it was within its limits then."""
        self.used += cost_of_call(usage, usd, budget_tokens(usage, Price(0.0, 0.0)))

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Stop the clock while waiting for the user, here and in the parent tasks."""
        with self.parent.pause() if self.parent else nullcontext():
            self.stopped = self.now
            self.waits += 1
            self.move_deadlines(None)
            try:
                yield
            finally:
                self.waits -= 1
                if not self.waits:
                    self.started += self.clock() - self.stopped
                    self.move_deadlines(self.seconds_left)

    def move_deadlines(self, seconds: float | None) -> None:
        """Postpone all deadlines by this many seconds, or remove them."""
        for deadline in self.deadlines:
            deadline.reschedule(None if seconds is None else asyncio.get_running_loop().time() + max(0.0, seconds))

    @property
    def now(self) -> float:
        """The clock, which stands still while waiting for the user."""
        return self.stopped if self.waits else self.clock()

    def release(self, lease: Reservation) -> None:
        """Release a reservation, because the request was not answered."""
        self.leases.remove(lease)
        if self.parent is not None:
            self.parent.release(lease)
