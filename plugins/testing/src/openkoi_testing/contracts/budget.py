"""Test what every budget promises: nothing is granted twice, and the cost of a call replaces its reservation."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_hookspecs import Amount, Budget, BudgetRequest, Cost, LimitExceededError

LIMIT = Amount(tokens=10_000, usd=1.0)
CALL = Amount(tokens=3_000, usd=0.3)
FULL = 3  # calls of this size that fit into the limit


def call(id: str, most: Amount = CALL, least: Amount | None = None) -> BudgetRequest:
    """Return a request for a call; without ``least`` it is sent as it is or not at all."""
    return BudgetRequest(id=id, run="run-1", model="acme/one", most=most, least=least or most)


class BudgetContract:
    """Inherit it: ``class TestMine(BudgetContract): subject = staticmethod(make)``.

    ``make(folder, limit)`` returns a budget that grants ``limit`` on one day in total, and stores its files, if any, in
    ``folder``.
    """

    subject: Callable[[Path, Amount], Budget]

    @pytest.fixture
    def budget(self, tmp_path: Path) -> Budget:
        """Return an unspent budget."""
        return self.subject(tmp_path / "budget", LIMIT)

    def test_a_call_that_fits_is_granted_as_it_is(self, budget: Budget) -> None:
        assert CALL == asyncio.run(budget.reserve(call("1")))

    def test_what_is_reserved_is_not_granted_again(self, budget: Budget) -> None:
        async def reserve() -> list[object]:
            calls = (budget.reserve(call(str(number))) for number in range(2 * FULL))
            return list(await asyncio.gather(*calls, return_exceptions=True))

        granted = asyncio.run(reserve())

        assert FULL == granted.count(CALL)
        assert FULL == sum(isinstance(one, LimitExceededError) for one in granted)

    def test_a_refusal_names_its_limit_and_reserves_nothing(self, budget: Budget) -> None:
        async def reserve() -> Amount:
            with pytest.raises(LimitExceededError) as refused:
                await budget.reserve(call("large", Amount(tokens=1, usd=1.01)))
            assert refused.value.limit
            with pytest.raises(LimitExceededError):
                await budget.reserve(call("long", Amount(tokens=10_001, usd=0.0)))
            return await budget.reserve(call("all", LIMIT))

        assert LIMIT == asyncio.run(reserve())

    def test_less_than_the_most_is_granted_down_to_the_least(self, budget: Budget) -> None:
        most, least = Amount(tokens=20_000, usd=0.5), Amount(tokens=5_000, usd=0.1)

        granted = asyncio.run(budget.reserve(call("1", most, least)))

        assert least.tokens <= granted.tokens <= LIMIT.tokens
        assert least.usd <= granted.usd <= most.usd

    def test_the_cost_takes_the_place_of_the_reservation(self, budget: Budget) -> None:
        async def spend() -> None:
            for number in range(FULL * 2):
                await budget.reserve(call(str(number)))
                await budget.settle(str(number), Cost(usd=0.1, budget_tokens=1_000, calls=1))

        asyncio.run(spend())
        today = asyncio.run(budget.days())[-1]

        assert pytest.approx((6_000, 0.6)) == (today.spent.tokens, today.spent.usd)
        assert Amount() == today.reserved

    def test_a_call_that_cost_nothing_leaves_nothing(self, budget: Budget) -> None:
        async def give_back() -> Amount:
            await budget.reserve(call("1", LIMIT))
            await budget.settle("1", Cost())
            return await budget.reserve(call("2", LIMIT))

        assert LIMIT == asyncio.run(give_back())

    def test_settling_twice_or_without_a_reservation_changes_nothing(self, budget: Budget) -> None:
        async def settle() -> None:
            await budget.reserve(call("1"))
            for id in ("1", "1", "never reserved"):
                await budget.settle(id, Cost(usd=0.2, budget_tokens=2_000, calls=1))

        asyncio.run(settle())

        assert pytest.approx(0.2) == asyncio.run(budget.days())[-1].spent.usd

    def test_today_is_the_last_day_with_what_is_reserved_and_its_limit(self, budget: Budget) -> None:
        asyncio.run(budget.reserve(call("1")))
        days = asyncio.run(budget.days())

        assert [day.date for day in days] == sorted({day.date for day in days})
        assert (Amount(), CALL, LIMIT) == (days[-1].spent, days[-1].reserved, days[-1].limit)

    def test_there_is_a_today_before_anything_is_spent(self, budget: Budget) -> None:
        assert [(Amount(), Amount())] == [(day.spent, day.reserved) for day in asyncio.run(budget.days())]
