"""What was ordered, and what it comes to."""

from dataclasses import dataclass

from teahouse.sharing import shares


@dataclass(frozen=True)
class Order:
    """Some cups, or pieces, of one thing."""

    name: str
    cents: int
    cups: int = 1

    @property
    def free(self) -> int:
        """Every third cup is on the house."""
        return 1 if self.cups >= 3 else 0

    @property
    def cost(self) -> int:
        """What is left to pay."""
        return self.cents * (self.cups - self.free)


@dataclass(frozen=True)
class Bill:
    """All orders of one table."""

    orders: tuple[Order, ...] = ()

    def add(self, name: str, cents: int, cups: int = 1) -> "Bill":
        """Write one more order on the bill."""
        return Bill((*self.orders, Order(name, cents, cups)))

    @property
    def total(self) -> int:
        """What the table has to pay."""
        return sum(order.cost for order in self.orders)

    def shares(self, people: int) -> list[int]:
        """What each person has to pay."""
        return shares(self.total, people)
