"""Track what was spent and is reserved on one day, and whether a call fits into the rest."""

from collections.abc import Mapping
from dataclasses import field

from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, Cost, LimitExceededError
from openkoi_hookspecs.lazy_dataclass import dataclass

TOKENS_A_DAY, DOLLARS_A_DAY = "tokens a day", "dollars a day"
NO_AMOUNT = Amount()


@dataclass(frozen=True, slots=True)
class DayBudget:
    """One day: what was spent, and what is reserved, by the reservation's id."""

    spent: Amount = NO_AMOUNT
    held: Mapping[str, Amount] = field(default_factory=dict)

    @property
    def total_reserved(self) -> Amount:
        """The sum of all reservations."""
        amounts = self.held.values()
        return Amount(tokens=sum(one.tokens for one in amounts), usd=sum(one.usd for one in amounts))

    def left(self, limit: Amount) -> Amount:
        """Return how much may still be reserved within a limit."""
        used = add(self.spent, self.total_reserved)
        return Amount(tokens=limit.tokens - used.tokens, usd=limit.usd - used.usd)

    def hold(self, id: str, amount: Amount) -> "DayBudget":
        """Return the day with one more reservation."""
        return DayBudget(self.spent, {**self.held, id: amount})

    def settle(self, id: str, spent: Amount) -> "DayBudget":
        """Return the day with a reservation replaced by what was spent."""
        held = {one: amount for one, amount in self.held.items() if one != id}
        return DayBudget(add(self.spent, spent), held) if id in self.held else self

    def as_day(self, date: str, limit: Amount) -> BudgetDay:
        """Return the day as a ``BudgetDay`` of the contract."""
        return BudgetDay(date=date, spent=self.spent, reserved=self.total_reserved, limit=limit)


def grant(request: BudgetRequest, left: Amount) -> Amount:
    """Return as much of a call's request as is left; raise LimitExceededError if that is too little."""
    if request.least.usd > left.usd:
        raise LimitExceededError(DOLLARS_A_DAY)
    if request.least.tokens > left.tokens:
        raise LimitExceededError(TOKENS_A_DAY)
    return Amount(tokens=min(request.most.tokens, left.tokens), usd=min(request.most.usd, left.usd))


def amount_of(cost: Cost) -> Amount:
    """Return the part of a cost that a budget counts."""
    return Amount(tokens=cost.budget_tokens, usd=cost.usd)


def add(one: Amount, other: Amount) -> Amount:
    """Return the sum of two amounts."""
    return Amount(tokens=one.tokens + other.tokens, usd=one.usd + other.usd)
