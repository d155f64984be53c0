"""Bills for a small tea house by a pond."""

from teahouse.bill import Bill, Order
from teahouse.sharing import shares

__all__ = ["Bill", "Order", "shares"]
