"""Enforce the daily limit of cost and tokens, in a file that all processes of a user share under a lock.

Reservations count as spent until the call is over. Those of a process that has ended count as spent permanently, since
their result is unknown.
"""

import json
import math
import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

from openkoi_base.files import is_process_running, lock_beside, private_folder, read_small_text, replace_file
from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, Cost, DataDir, KoiError, SharedSetting
from openkoi_hookspecs.budgets import UNLIMITED

from .budget_day import DayBudget, amount_of, grant

DATED = "????-??-??.json"
RESTART = "Move the file elsewhere; today's costs are then counted from zero."
BROKEN = "{file}, which stores today's costs, cannot be {what}: {why}"


class FileBudget:
    """Keeps the days in files. Without a limit it counts nothing: the run log has all costs."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("days")],
        usd_a_day: Annotated[float, SharedSetting("safety.max_cost_usd_per_day")] = math.inf,
        tokens_a_day: Annotated[float, SharedSetting("safety.max_tokens_per_day")] = math.inf,
    ) -> None:
        self.folder = folder
        self.limit = Amount(tokens=tokens_a_day, usd=usd_a_day)
        self.reserved: dict[str, Path] = {}

    async def reserve(self, request: BudgetRequest) -> Amount:
        """Reserve what a call may cost, checked and written under one lock; raises LimitExceededError."""
        if self.limit == UNLIMITED:
            return request.most
        granted: list[Amount] = []

        def hold(day: DayBudget) -> DayBudget:
            granted.append(grant(request, day.left(self.limit)))
            return day.hold(key_of(request.id), granted[0])

        file = self.file(self.today())
        self.change(file, hold)
        self.reserved[request.id] = file
        return granted[0]

    async def settle(self, id: str, cost: Cost) -> None:
        """Count what a call cost, on the day of its reservation."""
        if file := self.reserved.pop(id, None):
            self.change(file, lambda day: day.settle(key_of(id), amount_of(cost)))

    async def days(self) -> Sequence[BudgetDay]:
        """Return the days on which a limit was set, and today; raises KoiError for a file that cannot be read."""
        if self.limit == UNLIMITED:
            return []
        files = {*self.folder.glob(DATED), self.file(self.today())}
        return [read_day(file).as_day(file.stem, self.limit) for file in sorted(files)]

    def today(self) -> date:
        """Return the current day."""
        return datetime.now(UTC).date()

    def file(self, day: date) -> Path:
        """Return the file of a day."""
        return self.folder / f"{day.isoformat()}.json"

    def change(self, file: Path, step: Callable[[DayBudget], DayBudget]) -> None:
        """Change a day's file under a lock."""
        try:
            private_folder(self.folder)
            with lock_beside(file):
                replace_file(file, format_day(step(settle_abandoned(read_day(file)))))
        except OSError as error:
            raise KoiError(BROKEN.format(file=file, what="written", why=f"{error.strerror}.")) from None


def key_of(id: str) -> str:
    """Return the key of a reservation of this process; in containers, a later process may have the same number."""
    return f"{os.getpid()}:{id}"


def settle_abandoned(day: DayBudget) -> DayBudget:
    """Count the reservations of processes that have ended as spent."""
    for key, amount in day.held.items():
        if not is_process_running(int(key.partition(":")[0])):
            day = day.settle(key, amount)
    return day


def format_day(day: DayBudget) -> str:
    """Return a day as the text of its file."""
    held = {key: (amount.tokens, amount.usd) for key, amount in day.held.items()}
    return json.dumps({"tokens": day.spent.tokens, "usd": day.spent.usd, "held": held})


def read_day(file: Path) -> DayBudget:
    """Read a day; raise KoiError if it is unreadable, since what was spent would be unknown."""
    try:
        known = json.loads(read_small_text(file)) if file.exists() else {}
        held = {
            key: Amount(tokens=float(tokens), usd=float(usd)) for key, (tokens, usd) in known.get("held", {}).items()
        }
        return DayBudget(Amount(tokens=float(known.get("tokens", 0)), usd=float(known.get("usd", 0))), held)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        why = getattr(error, "strerror", None) or "it is damaged"
        raise KoiError(BROKEN.format(file=file, what="read", why=f"{why}. {RESTART}")) from None
