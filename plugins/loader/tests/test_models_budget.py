"""A budget is a lease that never overspends."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_base.random_id import RandomId
from openkoi_hookspecs import Cost, LimitExceededError, Limits, Price, Usage
from openkoi_models import Reservation, TaskBudget, budget_tokens

FREE = Price(0.0, 0.0)
DEAR = Price(10.0, 50.0, cache_read=1.0, cache_write=12.5)
CENT = 1e-6


@dataclass
class Clock:
    """A clock that stands still until it is turned."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def budget(limits: Limits = Limits(), parent: TaskBudget | None = None) -> TaskBudget:
    """A budget at a time that stands still."""
    return TaskBudget(limits, parent, clock=Clock())


# Never more than the limit.


@dataclass(frozen=True)
class Act:
    """What happens next: a request by the child or the parent, and how it ends."""

    by_child: bool
    estimate: int
    max_output: int
    price: Price
    ending: str
    output_share: float
    cached: float
    written: float


RATES = st.sampled_from([0.0, 0.1, 1.0, 30.0]) | st.floats(0, 100)
ACTS = st.builds(
    Act,
    by_child=st.booleans(),
    estimate=st.integers(0, 3_000),
    max_output=st.integers(0, 3_000),
    price=st.builds(Price, RATES, RATES, RATES, RATES),
    ending=st.sampled_from(["settle", "settle", "release", "wait"]),
    output_share=st.floats(0, 1),
    cached=st.floats(0, 1),
    written=st.floats(0, 1),
)
SMALL = st.builds(
    Limits, tokens=st.integers(0, 20_000), usd=st.floats(0, 0.5), calls=st.integers(0, 12), seconds=st.just(10.0)
)


def honest(lease: Reservation, act: Act) -> Usage:
    """A usage that stays within what was reserved."""
    most = lease.tokens - lease.max_output
    read = int(most * act.cached)
    write = int((most - read) * act.written)
    return Usage(
        input=most - read - write, output=int(lease.max_output * act.output_share), cache_read=read, cache_write=write
    )


def carried_out(act: Act, payer: TaskBudget) -> None:
    try:
        lease = payer.reserve(act.estimate, act.max_output, act.price)
    except LimitExceededError:
        return
    assert lease.max_output <= act.max_output
    if act.ending == "settle":
        payer.settle(lease, honest(lease, act), act.price)
    elif act.ending == "release":
        payer.release(lease)


def overspent(one: TaskBudget) -> Iterator[str]:
    spent, limits = one.cost, one.limits
    if spent.budget_tokens > limits.tokens:
        yield "tokens"
    if spent.usd > limits.usd + CENT:
        yield "dollars"
    if spent.calls > limits.calls:
        yield "calls"


@pytest.mark.row("C61", "C26", "ITER-21")
@settings(max_examples=80, deadline=None)
@given(SMALL, SMALL, st.lists(ACTS, max_size=25))
def test_honest_requests_never_pass_a_limit_of_the_task_or_of_its_parent(
    own: Limits, above: Limits, acts: list[Act]
) -> None:
    parent = TaskBudget(above, clock=Clock())
    child = TaskBudget(own, parent, clock=Clock())

    for act in acts:
        carried_out(act, child if act.by_child else parent)
        assert [] == [*overspent(child), *overspent(parent)]


@settings(max_examples=50, deadline=None)
@given(st.lists(ACTS, max_size=15))
def test_what_is_given_back_is_there_again(acts: list[Act]) -> None:
    one = budget(Limits(tokens=50_000, usd=1.0))
    before = one.tokens_left, one.usd_left

    for act in acts:
        carried_out(replace(act, ending="release"), one)

    assert (before, Cost()) == ((one.tokens_left, one.usd_left), one.cost)


# One request.


def test_the_worst_case_is_reserved_at_the_dearest_rate() -> None:
    lease = budget(Limits(usd=100.0)).reserve(1_000, 2_000, DEAR)

    assert (3_250, 2_000) == (lease.tokens, lease.max_output)
    assert pytest.approx(1_250 * 12.5e-6 + 2_000 * 50e-6) == lease.usd


def test_an_answer_is_shrunk_to_what_is_left() -> None:
    assert 750 == budget(Limits(tokens=2_000)).reserve(1_000, 4_000, FREE).max_output
    assert 1_000 == budget(Limits(usd=0.05)).reserve(0, 4_000, DEAR).max_output


@pytest.mark.parametrize(
    ("limits", "reached"),
    [
        (Limits(tokens=1_300), "tokens"),
        (Limits(usd=0.016), "dollars"),
        (Limits(usd=0.0), "dollars"),
        (Limits(calls=0), "calls"),
        (Limits(seconds=0.0), "seconds"),
    ],
)
def test_a_request_that_does_not_fit_is_refused_by_the_limits_name(limits: Limits, reached: str) -> None:
    with pytest.raises(LimitExceededError) as refusal:
        budget(limits).reserve(1_000, 4_000, DEAR)

    assert reached == refusal.value.limit


def test_input_that_costs_too_much_is_refused_although_output_is_free() -> None:
    with pytest.raises(LimitExceededError, match="dollars"):
        budget(Limits(usd=0.01)).reserve(1_000, 4_000, Price(10.0, 0.0))


def test_free_models_need_no_dollars() -> None:
    assert 4_000 == budget(Limits(usd=0.0)).reserve(1_000, 4_000, FREE).max_output


def test_dollars_without_end_are_a_limit_too() -> None:
    assert 4_000 == budget(Limits(usd=inf)).reserve(1_000, 4_000, DEAR).max_output


def test_requests_under_way_count_as_calls() -> None:
    one = budget(Limits(calls=1))
    one.reserve(10, 100, FREE)

    with pytest.raises(LimitExceededError, match="calls"):
        one.reserve(10, 100, FREE)


def test_a_parents_calls_bind_its_sub_tasks() -> None:
    child = budget(parent=budget(Limits(calls=1)))
    child.settle(child.reserve(10, 100, FREE), Usage(input=1), FREE)

    with pytest.raises(LimitExceededError, match="calls"):
        child.reserve(10, 100, FREE)


def test_a_sub_task_is_paid_by_its_parent_too() -> None:
    parent = budget()
    child = budget(parent=parent)
    child.settle(child.reserve(100, 100, DEAR), Usage(input=100, output=10), DEAR)

    assert child.cost == parent.cost
    assert (110, 1) == (parent.cost.tokens, parent.cost.calls)
    assert pytest.approx(0.0015) == parent.cost.usd


@pytest.mark.row("C61")
def test_usage_above_the_lease_is_charged() -> None:
    one = budget(Limits(tokens=1_000))
    one.settle(one.reserve(100, 500, FREE), Usage(input=5_000), FREE)

    assert 5_000 == one.cost.tokens
    with pytest.raises(LimitExceededError, match="tokens"):
        one.reserve(1, 1, FREE)


def test_time_runs_for_the_task_and_its_parent() -> None:
    clock = Clock()
    parent = TaskBudget(Limits(seconds=10), clock=clock)
    clock.now += 4
    child = TaskBudget(Limits(seconds=60), parent, clock=clock)
    clock.now += 1

    assert 5.0 == child.seconds_left
    assert (1.0, 5.0) == (child.cost.seconds, parent.cost.seconds)


# What a call costs.


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input=100_000, output=10_000, cache_read=1_000_000, cache_write=80_000)

    assert pytest.approx(1.0 + 0.5 + 1.0 + 1.0) == DEAR.cost(usage)


def test_writing_to_a_cache_without_a_price_of_its_own_costs_as_much_as_input() -> None:
    assert pytest.approx(10.0) == Price(10.0, 50.0).cost(Usage(cache_write=1_000_000))


@pytest.mark.parametrize(("price", "tokens"), [(DEAR, 200), (FREE, 200), (Price(1.0, 1.0, cache_read=3.0), 1_100)])
def test_cached_tokens_count_by_their_share_and_never_more_than_others(price: Price, tokens: int) -> None:
    assert tokens == budget_tokens(Usage(input=100, cache_read=1_000), price)


def test_dollars_beyond_the_lease_end_the_task_too() -> None:
    tiered = Price(3.0, 15.0, above=200_000, beyond=Price(6.0, 22.5))
    budget = TaskBudget(Limits(usd=2.0, tokens=10_000_000))
    lease = budget.reserve(100_000, 1_000, Price(3.0, 15.0))
    budget.settle(lease, Usage(input=100_000, output=1_000), Price(30.0, 15.0))

    with pytest.raises(LimitExceededError, match="reserved for one call"):
        budget.reserve(10, 10, tiered)


def test_a_request_near_a_dearer_tier_is_reserved_at_it() -> None:
    tiered = Price(3.0, 15.0, above=200_000, beyond=Price(6.0, 22.5))
    lease = TaskBudget(Limits(usd=5.0, tokens=10_000_000)).reserve(155_000, 1_000, tiered)

    assert (193_750 * 6.0 + 1_000 * 22.5) / 1e6 == pytest.approx(lease.usd)


def test_a_count_above_the_lease_is_charged_and_more_is_reserved_from_then_on() -> None:
    budget, price = TaskBudget(Limits(tokens=100_000)), Price(1.0, 1.0)
    budget.settle(budget.reserve(800, 1_000, price), Usage(input=4_000), price)
    later = budget.reserve(800, 1_000, price)

    assert 4_000 == budget.cost.tokens
    assert int(2_000 * 2 * 1.25) == later.tokens
    assert not budget.over


def test_a_vendor_that_keeps_to_it_again_is_trusted_again() -> None:
    budget, price = TaskBudget(Limits(tokens=1_000_000)), Price(1.0, 1.0)
    for counted in (4_000, *[1_800] * 8):
        budget.settle(budget.reserve(800, 1_000, price), Usage(input=counted), price)

    assert 2_000 == budget.reserve(800, 1_000, price).tokens


@pytest.mark.parametrize("counts", [(4_000, 5_100), (8_100,)])
def test_what_cannot_be_bounded_ends_the_task(counts: tuple[int, ...]) -> None:
    budget, price = TaskBudget(Limits(tokens=1_000_000)), Price(1.0, 1.0)
    for counted in counts:
        budget.settle(budget.reserve(800, 1_000, price), Usage(input=counted), price)

    with pytest.raises(LimitExceededError, match="tokens"):
        budget.reserve(8, 8, price)


def test_several_under_way_at_once_are_no_repetition() -> None:
    budget, price = TaskBudget(Limits(tokens=1_000_000)), Price(1.0, 1.0)
    for lease in [budget.reserve(800, 1_000, price) for _ in range(3)]:
        budget.settle(lease, Usage(input=4_000), price)

    assert not budget.over


def test_a_question_of_which_nothing_is_heard_costs_what_was_reserved_for_it_and_what_may_have_come() -> None:
    lease = TaskBudget(Limits()).reserve(800, 1_000, Price(2.0, 10.0))
    used, dollars = zip(lease.so_far(256), lease.so_far(5_000), strict=True)

    assert (Usage(input=1_000, output=256), Usage(input=1_000, output=1_000)) == used
    assert pytest.approx((0.00456, 0.012)) == dollars


def test_what_a_part_overdraws_ends_the_whole() -> None:
    whole = TaskBudget(Limits(tokens=10_000_000))
    part = TaskBudget(Limits(tokens=10_000_000), whole)
    lease = part.reserve(100, 100, Price(1.0, 1.0))
    part.settle(lease, Usage(input=1_000_000), Price(1.0, 1.0))

    with pytest.raises(LimitExceededError):
        whole.reserve(10, 10, Price(1.0, 1.0))


def test_the_id_of_a_reservation_is_drawn() -> None:
    assert RandomId is type(Reservation(tokens=1, usd=0.0, max_output=1).id)
