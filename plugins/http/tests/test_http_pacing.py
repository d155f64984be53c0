"""Test that a stream is read in batches if its pieces arrive quickly, and otherwise at once."""

import asyncio
from collections.abc import Iterable

import pytest

from openkoi_http.idle_timeout import MIN_QUICK_PIECES, REST_SECONDS, Pacing

pytestmark = pytest.mark.unit


def rests(pauses: Iterable[float | None]) -> int:
    """Return how often a reader waits between pieces that arrive after these pauses; None is a buffered piece."""

    async def read() -> int:
        pacing, found = Pacing(), 0
        for pause in pauses:
            pacing.begin()
            if pause is not None:
                await asyncio.sleep(pause)
            before = asyncio.get_running_loop().time()
            await pacing.rest()
            found += asyncio.get_running_loop().time() - before >= REST_SECONDS / 2
        return found

    return asyncio.run(read())


def test_many_pieces_that_come_quickly_are_read_together() -> None:
    assert 3 <= rests([0] * (MIN_QUICK_PIECES + 5))


def test_a_short_answer_is_not_delayed() -> None:
    assert 0 == rests([0] * (MIN_QUICK_PIECES - 1))


def test_what_is_there_already_is_not_waited_for() -> None:
    assert 0 == rests([None] * 100)


def test_a_slow_answer_is_read_as_it_comes() -> None:
    assert 0 == rests([0.006] * (MIN_QUICK_PIECES + 5))
