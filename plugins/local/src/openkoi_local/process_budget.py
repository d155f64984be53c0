"""Track the costs of a day in this process alone, for programs that are the only ones to run tasks."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated

from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, Cost, SharedSetting
from openkoi_hookspecs.budgets import UNLIMITED

from .day_page import Page, amount_of, grant


class ProcessBudget:
    """Keeps the days in memory: what was spent and reserved is forgotten when the process ends."""

    def __init__(
        self,
        *,
        usd_a_day: Annotated[float, SharedSetting("safety.max_cost_usd_per_day")] = math.inf,
        tokens_a_day: Annotated[float, SharedSetting("safety.max_tokens_per_day")] = math.inf,
    ) -> None:
        self.limit = Amount(tokens=tokens_a_day, usd=usd_a_day)
        self.pages: dict[date, Page] = {}
        self.reserved: dict[str, date] = {}

    async def reserve(self, request: BudgetRequest) -> Amount:
        """Reserve what a call may cost; raises LimitExceededError."""
        today = self.today()
        page = self.pages.get(today, Page())
        granted = grant(request, page.left(self.limit))
        self.pages[today], self.reserved[request.id] = page.hold(request.id, granted), today
        return granted

    async def settle(self, id: str, cost: Cost) -> None:
        """Count what a call cost, on the day of its reservation."""
        if day := self.reserved.pop(id, None):
            self.pages[day] = self.pages[day].settle(id, amount_of(cost))

    async def days(self) -> Sequence[BudgetDay]:
        """Return the days of this process, and today."""
        if self.limit == UNLIMITED:
            return []
        days = {self.today(): Page(), **self.pages}
        return [days[day].as_day(day.isoformat(), self.limit) for day in sorted(days)]

    def today(self) -> date:
        """Return the day that is counted now."""
        return datetime.now(UTC).date()
