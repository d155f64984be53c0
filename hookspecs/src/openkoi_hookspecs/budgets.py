"""What a budget is asked for before a model call, what it grants, and what was spent on each day."""

import math

from .frozen import frozen


@frozen(kw_only=True)
class Amount:
    """Tokens, as budgets count them (``Cost.budget_tokens``), and US dollars."""

    tokens: float = 0.0
    usd: float = 0.0


UNLIMITED = Amount(tokens=math.inf, usd=math.inf)


@frozen(kw_only=True)
class BudgetRequest:
    """What one model call may cost.

    ``id`` is the reservation's in the run log (``ModelRequest.lease``), ``run`` the id of the task's run, ``model`` is
    ``provider/model``. ``most`` is the worst case. With less than that, down to ``least``, the answer is cut shorter.
    """

    id: str
    run: str
    model: str
    most: Amount
    least: Amount


@frozen(kw_only=True)
class BudgetDay:
    """What was spent on a day, an ISO date.

    ``reserved`` is set aside for calls that are not over; ``limit`` is infinite where there is none.
    """

    date: str
    spent: Amount
    reserved: Amount = Amount()
    limit: Amount = UNLIMITED
