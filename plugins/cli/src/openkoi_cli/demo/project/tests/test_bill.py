"""What is on the bill."""

from teahouse import Bill


def test_an_empty_table_pays_nothing() -> None:
    assert Bill().total == 0


def test_a_bill_adds_up_its_orders() -> None:
    assert Bill().add("sencha", 450, cups=3).add("mochi", 300).total == 1200


def test_one_cup_is_paid() -> None:
    assert Bill().add("sencha", 450).total == 450


def test_every_third_cup_is_free() -> None:
    assert Bill().add("sencha", 450, cups=3).total == 900


def test_the_sixth_cup_is_free_too() -> None:
    assert Bill().add("sencha", 450, cups=6).total == 1800


def test_of_seven_cups_two_are_free() -> None:
    assert Bill().add("oolong", 500, cups=7).total == 2500
