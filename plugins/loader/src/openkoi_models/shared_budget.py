"""Reserve from the budget that all runs share, and contain errors of the plugin that implements it."""

import math
from collections.abc import Awaitable, Callable
from typing import cast

from openkoi_base.isolation import contain_exit, type_error_of, with_timeout
from openkoi_hookspecs import (
    Amount,
    Budget,
    BudgetRequest,
    ConfigError,
    Cost,
    KoiError,
    LimitExceededError,
    PluginError,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import Config, keys, plugin_keys

SETTLE_TIMEOUT = 10.0  # seconds; the answer is there already, and must not wait for its bookkeeping
KEPT_BY_NONE = '{key} is set, but nothing enforces it. Set `budget` under [use], for example to "files".'
NOT_RECORDED = "The cost of a model call could not be recorded, so the amount reserved for it may stay reserved: {}"
TOO_LITTLE = "it granted {granted}, which is less than the call needs"


@dataclass(slots=True)
class SharedBudget:
    """The chosen budget of this process. ``exceeded`` is the limit that a vendor's counts have exceeded."""

    config: Config
    load: Callable[[str, str], Awaitable[object]]
    warn: Callable[[str], None]
    exceeded: str = ""

    @property
    def name(self) -> str:
        """The name of the chosen budget; empty if none is."""
        name = self.config[plugin_keys.USE_BUDGET]
        return "" if name == "none" else name

    async def plugin(self) -> Budget | None:
        """Return the chosen budget; raise KoiError if it cannot be loaded, since it enforces daily limits."""
        if self.name:
            return cast(Budget, await self.load("budgets", self.name))  # the kind says what it is
        for key in (keys.MAX_COST_PER_DAY, keys.MAX_TOKENS_PER_DAY):
            if math.isfinite(self.config[key]):
                raise ConfigError(KEPT_BY_NONE.format(key=key.name))
        return None

    async def reserve(self, request: BudgetRequest, seconds: float) -> Amount:
        """Reserve what a call may cost, and return how much of it is granted.

        Raise LimitExceededError if that is too little or takes longer than this, PluginError for other errors of the
        budget.
        """
        if self.exceeded:
            raise LimitExceededError(self.exceeded)
        budget = await self.plugin()
        if budget is None:
            return request.most
        try:
            granted = await with_timeout(budget.reserve(request), seconds)
        except KoiError:
            raise
        except Exception as error:  # a budget is a plugin: without it the limits are unknown
            raise PluginError(self.name, "reserve", f"{type(error).__name__}: {error}") from error
        if wrong := wrong_grant(granted, request):
            raise PluginError(self.name, "reserve", wrong)
        return granted

    async def settle(self, id: str, cost: Cost) -> None:
        """Replace a reservation with what the call cost; only warn on failure, because the answer has arrived."""
        if not self.name:
            return
        try:
            budget = await self.plugin()
            if budget:
                await with_timeout(budget.settle(id, cost), SETTLE_TIMEOUT)
        except Exception as error:  # as above, and what was reserved is not spent twice
            self.warn(NOT_RECORDED.format(error))

    async def stop(self, limit: str) -> None:
        """Refuse all further calls of this process if there is a daily limit, since a vendor's counts exceed it."""
        if not self.name or self.exceeded:
            return
        try:
            with contain_exit():
                budget = await self.plugin()
                days = await budget.days() if budget else ()
        except Exception as error:  # as above
            self.warn(NOT_RECORDED.format(error))
            return
        if days and math.isfinite(min(days[-1].limit.tokens, days[-1].limit.usd)):
            self.exceeded = limit


def wrong_grant(granted: object, request: BudgetRequest) -> str:
    """Return what is wrong with a budget's grant; empty if nothing is."""
    if wrong := type_error_of(granted, Amount):
        return wrong
    amount, least = cast(Amount, granted), request.least
    enough = amount.tokens >= least.tokens and amount.usd >= least.usd
    return "" if enough else TOO_LITTLE.format(granted=amount)
