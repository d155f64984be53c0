"""Whether the whole of OpenKoi learns: a model and a judge behind their sockets, real runs, measured from outside.

A campaign is faster with ``--basetemp`` in a folder that is kept in memory.
"""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest
from koi_lives import LEARNERS, Life, live
from koi_world import WORLDS, World

TASKS, AFTER, LIVES = 500, 100, 6


def row(like: World, lives: Mapping[str, Life]) -> str:
    """How it went in a world, for a person."""
    ours = lives["ours"]
    last = ", ".join(f"{who} {one.share(len(one.steps) - AFTER):.2f}" for who, one in lives.items())
    turned = (
        f"; after drift {ours.share(like.drift, like.drift + AFTER):.2f}" if 0 < like.drift < len(ours.steps) else ""
    )
    truths = ours.truths
    twins = ours.duplicates(truths) if truths else 0.0
    return (
        f"{like.name:9} last {AFTER}: {last}{turned}; harmful {ours.harmful:.2f}, tokens {ours.tokens:.0f}, "
        f"live {len(ours.live)}, duplicates {twins:.3f}"
    )


def test_over_the_whole_of_openkoi_first_attempts_come_to_pass(tmp_path: Path) -> None:
    few = World(name="few", families=2, more=0.0, misleads=0.0, noise=0.0, taste=0.0)

    ours = [live(few, "ours", 36, seed=seed, remembers=False, folder=str(tmp_path)) for seed in range(4)]
    nobody = live(few, "none", 8, remembers=False, folder=str(tmp_path))

    assert fmean(life.share(12) for life in ours) > nobody.share(0) + 0.2
    assert fmean(life.harmful for life in ours) <= 0.15
    assert [] == [one for life in ours for one in life.warnings if "failed at" in one]


@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("like", WORLDS, ids=lambda one: one.name)
def test_learning_curves_through_the_provider_socket(
    like: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lives = {who: live(like, who, TASKS, remembers=False, folder=str(tmp_path)) for who in LEARNERS}
    ours, nobody = lives["ours"], lives["none"]
    with capsys.disabled():
        print(f"\n{row(like, lives)}", flush=True)
        for who, one in lives.items():
            print(f"  {who:10}", *(f"{one.share(at, at + AFTER):.2f}" for at in range(0, TASKS, AFTER)))

    assert ours.share(TASKS - AFTER) > nobody.share(TASKS - AFTER) + 0.25
    assert ours.tokens <= 120


def surely_below(share: float, promise: float, lives: int = LIVES) -> bool:
    """Whether a share of so many hundred tasks is below a promise by more than chance: two standard errors."""
    return share < promise - 2 * sqrt(promise * (1 - promise) / (AFTER * lives))


@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_over_several_lives_first_attempts_pass_as_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def several(who: str, like: World, seeds: int) -> list[Life]:
        return [live(like, who, TASKS, seed=seed, remembers=False, folder=str(tmp_path)) for seed in range(seeds)]

    def mean(lives: Sequence[Life], of: Callable[[Life], float]) -> float:
        return sum(map(of, lives)) / len(lives)

    text, drift = WORLDS[0], WORLDS[6]
    ours, turned, knowing = several("ours", text, LIVES), several("ours", drift, LIVES), several("oracle", text, 2)
    last, best = (mean(some, lambda one: one.share(TASKS - AFTER)) for some in (ours, knowing))
    after = mean(turned, lambda one: one.share(drift.drift, drift.drift + AFTER))
    twins = mean(ours, lambda one: one.duplicates(one.truths) if one.truths else 1.0)
    with capsys.disabled():
        print(
            f"\n{LIVES} lives: last {AFTER} {last:.3f}, oracle {best:.3f}, after a drift {after:.3f}, twins {twins:.3f}"
        )

    assert not surely_below(last, 0.85)
    assert not surely_below(last, 0.9 * best)
    assert not surely_below(after, 0.75)
    assert twins < 0.02
    assert mean([*ours, *turned], lambda one: one.harmful) <= 0.25
    assert mean([*ours, *turned], lambda one: one.tokens) <= 120


@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_a_memory_of_past_tasks_does_no_harm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    like = WORLDS[0]
    lives = {who: live(like, who, 2 * AFTER, folder=str(tmp_path)) for who in ("none", "ours")}
    with capsys.disabled():
        print(f"\nwith a memory, {row(like, lives)}", flush=True)

    assert lives["ours"].share(AFTER) > lives["none"].share(AFTER)
