"""Test that learning helps in worlds it was not made for: other words, other judges, other changes."""

from collections.abc import Sequence

import pytest
from learning_moments import Course, live
from learning_ponds import VARIATIONS, Variation

TASKS, DRIFT, AFTER = 400, 300, 100
LEARNERS = ("none", "ours", "oracle")


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def row(like: Variation, courses: Sequence[dict[str, Course]]) -> str:
    """The result of a variation, as text."""
    last = {who: mean([one[who].share(DRIFT - AFTER, DRIFT) for one in courses]) for who in LEARNERS}
    after = {who: mean([one[who].share(DRIFT) for one in courses]) for who in LEARNERS}
    harm = mean([sum(one["ours"].harmful) / TASKS for one in courses])
    tokens = mean([one["ours"].tokens for one in courses])
    below = sum(one["ours"].share(0) < one["none"].share(0) for one in courses)
    return (
        f"{like.name:14} last {last['ours']:.3f} of oracle {last['ours'] / last['oracle']:.3f} none {last['none']:.3f}"
        f" | after drift {after['ours']:.3f} of oracle {after['ours'] / after['oracle']:.3f}"
        f" | harmful {harm:.3f} tokens {tokens:.0f} below none {below}"
    )


def test_asked_at_its_moments_alone_the_ledger_makes_first_attempts_pass() -> None:
    few = Variation(name="few things", things=6, often=0.5, more=0.0)

    ours, baseline = (live(few, 1, who, tasks=60) for who in ("ours", "none"))

    assert ours.share(40) > baseline.share(40) + 0.4


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_in_no_variation_is_it_below_no_memory(capsys: pytest.CaptureFixture[str]) -> None:
    for like in VARIATIONS:
        courses = [{who: live(like, seed, who, TASKS, DRIFT) for who in LEARNERS} for seed in range(4)]
        with capsys.disabled():
            print(row(like, courses), flush=True)

        assert all(one["ours"].share(0) > one["none"].share(0) for one in courses)
        assert all(one["ours"].share(DRIFT) > one["none"].share(DRIFT) for one in courses)
