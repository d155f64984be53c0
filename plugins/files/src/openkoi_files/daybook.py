"""What a day may cost, kept in one file that all processes share under a lock. Knows numbers and dates; knows no model.

What is reserved counts as spent until it comes back; what a process had reserved that is gone counts as spent for good,
since nobody knows what became of it.
"""

import json
import math
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from openkoi_hookspecs import Cost, KoiError, LimitExceededError

from .filelock import locked
from .private import private_folder, read_text, replace_file
from .processes import is_process_running


class Reserved(Protocol):
    """What is set aside for one request."""

    @property
    def tokens(self) -> int: ...
    @property
    def usd(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Page:
    """One day: what was spent, and what is reserved, as ``process:name`` with budget tokens and dollars."""

    tokens: float = 0.0
    usd: float = 0.0
    held: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def all_tokens(self) -> float:
        """Spent and reserved."""
        return self.tokens + sum(tokens for tokens, _ in self.held.values())

    @property
    def all_usd(self) -> float:
        """Spent and reserved."""
        return self.usd + sum(usd for _, usd in self.held.values())

    def without(self, key: str, tokens: float, usd: float) -> "Page":
        """The page when a reservation has come to this."""
        held = {one: amount for one, amount in self.held.items() if one != key}
        return Page(self.tokens + tokens, self.usd + usd, held)


@dataclass(slots=True)
class Daybook:
    """A budget that tasks share for a day. Raises LimitExceededError rather than let more be reserved than there is."""

    folder: Path
    most_tokens: float = math.inf
    most_usd: float = math.inf
    today: Callable[[], date] = lambda: datetime.now(UTC).date()
    keys: dict[int, tuple[str, Path]] = field(default_factory=dict)
    overspent: str = ""

    def named(self, limit: str) -> str:
        """The name of a limit that binds here."""
        return f"{limit} a day"

    @property
    def seconds_left(self) -> float:
        """A day has no clock of its own."""
        return math.inf

    @property
    def calls_left(self) -> float:
        """Calls are not counted by the day."""
        return math.inf

    @property
    def tokens_left(self) -> float:
        """What may still be reserved today."""
        return self.most_tokens - self.page().all_tokens

    @property
    def usd_left(self) -> float:
        """What may still be reserved today."""
        return self.most_usd - self.page().all_usd

    def hold(self, lease: Reserved) -> None:
        """Set aside what a request may cost; checked and written under one lock."""
        key = f"{os.getpid()}:{token_hex(8)}"  # in containers the next process has the same number

        def reserve(page: Page) -> Page:
            if page.all_usd + lease.usd > self.most_usd:
                raise LimitExceededError("dollars a day")
            if page.all_tokens + lease.tokens > self.most_tokens:
                raise LimitExceededError("tokens a day")
            return replace(page, held={**page.held, key: (lease.tokens, lease.usd)})

        file = self.file
        self.change(reserve, file)
        self.keys[id(lease)] = key, file

    def charge(self, lease: Reserved, spent: Cost) -> None:
        """Put down what a request has cost, in the place and on the day of what was reserved for it."""
        key, file = self.keys.pop(id(lease))
        self.change(lambda page: page.without(key, spent.budget_tokens, spent.usd), file)

    def release(self, lease: Reserved) -> None:
        """Give back what was reserved."""
        self.charge(lease, Cost())

    def overspend(self, limit: str) -> None:
        """More was used than reserved: this process asks nothing more."""
        self.overspent = self.overspent or limit

    def paused(self) -> AbstractContextManager[None]:
        """A day goes on while a person is waited for."""
        return nullcontext()

    @property
    def file(self) -> Path:
        return self.folder / f"{self.today().isoformat()}.json"

    def change(self, step: Callable[[Page], Page], file: Path | None = None) -> None:
        """Change a day's page alone, today's if no other is named."""
        file = file or self.file
        try:
            private_folder(self.folder)
            with locked(file):
                replace_file(file, json.dumps(asdict(step(settled(self.page(file))))))
        except OSError as error:
            raise KoiError(f"{file} keeps what a day costs and cannot be written: {error.strerror}.") from None

    def page(self, file: Path | None = None) -> Page:
        """A day's page; raises KoiError for one that cannot be read, since nobody would know what was spent."""
        file = file or self.file
        try:
            known = json.loads(read_text(file)) if file.exists() else {}
            held = {key: (float(tokens), float(usd)) for key, (tokens, usd) in known.get("held", {}).items()}
            return Page(float(known.get("tokens", 0)), float(known.get("usd", 0)), held)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise KoiError(f"{file} keeps what a day costs and cannot be read: {error}. Move it away.") from None


def settled(page: Page) -> Page:
    """The page on which reservations of processes that are gone count as spent."""
    for key, (tokens, usd) in page.held.items():
        if not is_process_running(int(key.partition(":")[0])):
            page = page.without(key, tokens, usd)
    return page
