"""The shared budget: what a model call may cost, and what was spent on each day."""

import math
from collections.abc import Sequence
from typing import Protocol

from .lazy_dataclass import dataclass
from .task import Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Tokens, as budgets count them (``Cost.budget_tokens``), and US dollars."""

    tokens: float = 0.0
    usd: float = 0.0


UNLIMITED = Amount(tokens=math.inf, usd=math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRequest:
    """What one model call may cost.

    ``id`` is the reservation's in the run log (``ModelRequest.lease``), ``run`` the id of the task's run, ``model`` is
    ``provider/model``. ``most`` is the worst case. If less than that is granted, down to ``least``, the answer is
    limited to it.
    """

    id: str
    run: str
    model: str
    most: Amount
    least: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetDay:
    """What was spent on a day, an ISO date.

    ``reserved`` is set aside for calls in progress; ``limit`` is infinite if there is none.
    """

    date: str
    spent: Amount
    reserved: Amount = Amount()
    limit: Amount = UNLIMITED


class Budget(Protocol):
    """A limit on what all runs together may spend. Group ``openkoi.budgets``; one is chosen.

    The kernel reserves the worst case of each model call before it is sent and settles it when the call is over. What a
    killed process had reserved counts as spent, unless the budget ends with its process.
    """

    async def reserve(self, request: BudgetRequest) -> Amount:
        """Reserve what a call may cost; return ``request.most``, or less, but at least ``request.least``.

        Raise LimitExceededError, with the limit's name, if less is left: the task then ends with that reason. Never
        grant the same amount twice, however many processes ask at once.
        """

    async def settle(self, id: str, cost: Cost) -> None:
        """Replace a reservation with what the call cost; ``Cost()`` if it cost nothing. Ignore an unknown id."""

    async def days(self) -> Sequence[BudgetDay]:
        """Return what was spent on each day, oldest first and today last; empty if nothing is counted."""
