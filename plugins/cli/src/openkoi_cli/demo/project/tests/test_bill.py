"""What is on the bill."""

from unittest import TestCase

from teahouse import Bill


class TestBill(TestCase):
    def test_an_empty_table_pays_nothing(self) -> None:
        self.assertEqual(0, Bill().total)

    def test_a_bill_adds_up_its_orders(self) -> None:
        self.assertEqual(1200, Bill().add("sencha", 450, cups=3).add("mochi", 300).total)

    def test_one_cup_is_paid(self) -> None:
        self.assertEqual(450, Bill().add("sencha", 450).total)

    def test_every_third_cup_is_free(self) -> None:
        self.assertEqual(900, Bill().add("sencha", 450, cups=3).total)

    def test_the_sixth_cup_is_free_too(self) -> None:
        self.assertEqual(1800, Bill().add("sencha", 450, cups=6).total)

    def test_of_seven_cups_two_are_free(self) -> None:
        self.assertEqual(2500, Bill().add("oolong", 500, cups=7).total)
