"""What a view computes from the records of a run is what the run itself returned, whatever happened to it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from run_histories import History, played

from openkoi_hookspecs import Iteration, Spend
from openkoi_log import view_of

SEEDS = [*range(24), *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(24, 500))]


@pytest.fixture(params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path: Path) -> History:
    return played(request.param, tmp_path)


def plain(iterations: Iterator[Iteration]) -> list[Iteration]:
    """Iterations without clocks."""
    return [replace(one, spent=Spend(tokens=one.spent.tokens, usd=one.spent.usd)) for one in iterations]


def test_the_view_equals_the_live_run(history: History) -> None:
    view = view_of(history.records, history.run)
    live, read = history.result, view.result

    assert read is not None
    assert plain(iter(live.iterations)) == plain(iter(read.iterations))
    assert plain(iter([live.best])) == plain(iter([read.best]))
    assert (live.ruling, live.task.text) == (read.ruling, read.task.text)
    assert (live.spent.tokens, live.spent.calls) == (read.spent.tokens, read.spent.calls)
