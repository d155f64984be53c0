"""Enforce the daily limit of cost and tokens in this process alone, for programs that run all tasks themselves."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated

from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, Cost, SharedSetting
from openkoi_hookspecs.budgets import UNLIMITED

from .budget_day import DayBudget, amount_of, grant


class ProcessBudget:
    """Keeps the days in memory: what was spent and reserved is forgotten when the process ends."""

    def __init__(
        self,
        *,
        usd_a_day: Annotated[float, SharedSetting("safety.max_cost_usd_per_day")] = math.inf,
        tokens_a_day: Annotated[float, SharedSetting("safety.max_tokens_per_day")] = math.inf,
    ) -> None:
        self.limit = Amount(tokens=tokens_a_day, usd=usd_a_day)
        self.budgets: dict[date, DayBudget] = {}
        self.reserved: dict[str, date] = {}

    async def reserve(self, request: BudgetRequest) -> Amount:
        """Reserve what a call may cost; raises LimitExceededError."""
        today = self.today()
        day = self.budgets.get(today, DayBudget())
        granted = grant(request, day.left(self.limit))
        self.budgets[today], self.reserved[request.id] = day.hold(request.id, granted), today
        return granted

    async def settle(self, id: str, cost: Cost) -> None:
        """Count what a call cost, on the day of its reservation."""
        if day := self.reserved.pop(id, None):
            self.budgets[day] = self.budgets[day].settle(id, amount_of(cost))

    async def days(self) -> Sequence[BudgetDay]:
        """Return the days of this process, and today."""
        if self.limit == UNLIMITED:
            return []
        days = {self.today(): DayBudget(), **self.budgets}
        return [days[day].as_day(day.isoformat(), self.limit) for day in sorted(days)]

    def today(self) -> date:
        """Return the current day."""
        return datetime.now(UTC).date()
