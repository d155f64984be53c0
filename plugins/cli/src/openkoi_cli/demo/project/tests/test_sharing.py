"""What each friend pays."""

from unittest import TestCase

from teahouse import Bill, shares


class TestSharing(TestCase):
    def test_an_even_bill_is_shared_evenly(self) -> None:
        self.assertEqual([300, 300, 300], shares(900, 3))

    def test_no_cent_is_lost(self) -> None:
        self.assertEqual(1000, sum(shares(1000, 3)))

    def test_the_first_ones_pay_the_odd_cents(self) -> None:
        self.assertEqual([251, 250, 250, 250], shares(1001, 4))

    def test_a_table_shares_its_bill(self) -> None:
        self.assertEqual([427, 427, 426], Bill().add("gyokuro", 640, cups=2).shares(3))

    def test_at_least_one_friend_pays(self) -> None:
        with self.assertRaisesRegex(ValueError, "At least one"):
            shares(900, 0)
