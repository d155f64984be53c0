"""The search of ``openkoi bisect`` over families of causes: one plugin, two, three, none, and results that vary."""

from collections.abc import Callable
from functools import partial
from itertools import combinations
from random import Random

import pytest

from openkoi_cli.bisect.search import (
    MORE,
    SKIPPED,
    VARIES,
    WITHOUT_ANY,
    Bisection,
    Cause,
    Outcome,
    Plugins,
    max_replays,
    never,
)

pytestmark = pytest.mark.unit


def bad_if(holds: Callable[[Plugins], bool]) -> Callable[[Plugins], Outcome]:
    return lambda plugins: Outcome.BAD if holds(plugins) else Outcome.GOOD


def contains(bad: int, plugins: Plugins) -> bool:
    return bad in plugins


def shares(bad: set[int], plugins: Plugins) -> bool:
    return bool(bad & plugins)


def always(plugins: Plugins) -> bool:
    return True


def bisect(
    count: int, judge: Callable[[Plugins], Outcome], may_vary: Callable[[], bool] = never
) -> tuple[Cause, list[Plugins]]:
    """Return the cause, and the sets that were replayed."""
    search, replayed = Bisection(count, may_vary).search(), list[Plugins]()
    try:
        plugins = next(search)
        while True:
            replayed.append(plugins)
            plugins = search.send(judge(plugins))
    except StopIteration as found:
        return found.value, replayed


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 64, 100])
def test_one_bad_plugin_is_found_wherever_it_is(count: int) -> None:
    for bad in range(count):
        cause, replayed = bisect(count, bad_if(partial(contains, bad)))

        assert Cause((bad,)) == cause
        assert len(replayed) <= max_replays(count)
        assert len(replayed) == len(set(replayed))


def test_seven_replays_find_one_among_sixty_four() -> None:
    assert 7 == max_replays(64)


@pytest.mark.parametrize("count", [2, 3, 7, 16])
def test_two_that_are_bad_only_together_are_named_as_a_pair(count: int) -> None:
    for pair in combinations(range(count), 2):
        cause, _ = bisect(count, bad_if(frozenset(pair).issubset))

        assert Cause(pair) == cause


@pytest.mark.parametrize("count", [3, 6, 12])
def test_three_that_are_bad_only_together_are_said_to_be_undecided(count: int) -> None:
    for three in combinations(range(count), 3):
        cause, _ = bisect(count, bad_if(frozenset(three).issubset))

        assert MORE == cause.undecided
        assert {*cause.plugins} < {*three}


@pytest.mark.parametrize("count", [1, 2, 9, 64])
def test_a_result_that_is_bad_without_plugins_is_none_of_theirs(count: int) -> None:
    cause, replayed = bisect(count, bad_if(always))

    assert Cause(undecided=WITHOUT_ANY) == cause
    assert len(replayed) <= max_replays(count)


def test_of_two_bad_plugins_one_is_named() -> None:
    for pair in combinations(range(12), 2):
        cause, _ = bisect(12, bad_if(partial(shares, {*pair})))

        assert "" == cause.undecided
        assert {*cause.plugins} < {*pair}


def test_a_replay_that_cannot_be_judged_leaves_it_undecided() -> None:
    for skipped in range(1, 7):
        asked = 0

        def judge(plugins: Plugins, skipped: int = skipped) -> Outcome:
            nonlocal asked
            asked += 1
            return Outcome.SKIPPED if asked == skipped else bad_if(partial(contains, 11))(plugins)

        assert Cause(undecided=SKIPPED) == bisect(32, judge)[0]


def test_what_varies_is_named_only_if_it_was_proven_twice() -> None:
    for seed in range(300):
        random = Random(seed)
        last: dict[Plugins, list[Outcome]] = {}

        def judge(plugins: Plugins, random: Random = random, last: dict[Plugins, list[Outcome]] = last) -> Outcome:
            last.setdefault(plugins, []).append(random.choice([Outcome.GOOD, Outcome.BAD]))
            return last[plugins][-1]

        cause, _ = bisect(16, judge, lambda: True)
        if cause.plugins and not cause.undecided:
            alone, without = frozenset(cause.plugins), frozenset(range(16)) - frozenset(cause.plugins)
            assert (Outcome.BAD, Outcome.GOOD) == (last[alone][-1], last[without][-1])
        else:
            assert cause.undecided in (MORE, VARIES, WITHOUT_ANY)


def test_a_steady_cause_is_found_although_results_may_vary() -> None:
    for bad in range(20):
        cause, replayed = bisect(20, bad_if(partial(contains, bad)), lambda: True)

        assert Cause((bad,)) == cause
        assert len(replayed) <= max_replays(20) + 2
