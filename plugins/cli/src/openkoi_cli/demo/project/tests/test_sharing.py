"""What each friend pays."""

import pytest

from teahouse import Bill, shares


def test_an_even_bill_is_shared_evenly() -> None:
    assert shares(900, 3) == [300, 300, 300]


def test_no_cent_is_lost() -> None:
    assert sum(shares(1000, 3)) == 1000


def test_the_first_ones_pay_the_odd_cents() -> None:
    assert shares(1001, 4) == [251, 250, 250, 250]


def test_a_table_shares_its_bill() -> None:
    assert Bill().add("gyokuro", 640, cups=2).shares(3) == [427, 427, 426]


def test_nobody_cannot_pay() -> None:
    with pytest.raises(ValueError, match="Somebody"):
        shares(900, 0)
