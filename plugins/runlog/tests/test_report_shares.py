"""How a task's tokens are meant to last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_runlog.report.token_shares import share_tokens

pytestmark = pytest.mark.unit


@pytest.mark.row("TOK-02", "TOK-03", "C16")
def test_of_two_hundred_thousand_tokens_three_iterations_get_a_little_more_each() -> None:
    left, shares = 200_000.0, []
    for number in range(3):
        shares.append(round(share_tokens(left, number, 3)))
        left -= shares[-1]

    assert [60_606, 66_667, 72_727] == shares


@pytest.mark.row("TOK-02")
@given(st.floats(0, 1e9), st.integers(0, 30), st.integers(0, 30))
def test_no_share_is_more_than_what_is_left(left: float, iteration: int, iterations: int) -> None:
    assert 0 <= share_tokens(left, iteration, iterations) <= left


@pytest.mark.row("TOK-02")
def test_the_last_one_may_use_all_that_is_left_and_one_too_many_nothing() -> None:
    assert (5_000, 0) == (share_tokens(5_000, 2, 3), share_tokens(5_000, 3, 3))
