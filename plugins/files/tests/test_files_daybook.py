"""What a day may cost holds for all processes, whatever number each has, and whichever day an answer ends on."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from openkoi_files import Daybook
from openkoi_hookspecs import Cost, LimitExceededError


@dataclass(eq=False)
class Reservation:
    """What a request may cost."""

    tokens: int = 10
    usd: float = 0.3


@pytest.mark.row("C26")
def test_what_another_process_of_the_same_number_has_reserved_stays_reserved(tmp_path: Path) -> None:
    """Two books stand for two processes: in containers both may be number one."""
    Daybook(tmp_path, most_usd=0.5).hold(Reservation())

    with pytest.raises(LimitExceededError, match="day"):
        Daybook(tmp_path, most_usd=0.5).hold(Reservation())


@pytest.mark.row("C26")
def test_what_was_reserved_before_midnight_is_paid_on_that_day(tmp_path: Path) -> None:
    days = [date(2026, 1, 1)]
    book, lease = Daybook(tmp_path, most_usd=0.5, today=lambda: days[-1]), Reservation()
    book.hold(lease)
    first = book.file
    days.append(date(2026, 1, 2))
    book.charge(lease, Cost(budget_tokens=5, usd=0.2))

    assert (0.2, {}) == (book.page(first).usd, book.page(first).held)
    assert 0.0 == book.page().all_usd
