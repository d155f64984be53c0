"""From an address to the page that it leads to: each step is judged, looked up and connected to anew."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from openkoi_hookspecs import Allow, Deny, ToolError

from .address import PORTS, Address, read
from .allowed import Allowed
from .door import Answer, Door
from .failures import explained, refusal
from .resolving import Resolver, resolved
from .verdict import verdict

REDIRECTED = frozenset({301, 302, 303, 307, 308})
MOST = 5


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a journey ended. ``onward`` is an address it leads to that nobody has allowed."""

    address: Address
    answer: Answer
    onward: Address | None = None


@dataclass(frozen=True, slots=True)
class Traveller:
    """Goes where it is allowed to, within so many seconds."""

    allowed: Allowed
    door: Door
    resolver: Resolver
    seconds: float

    async def go(self, start: Address) -> Arrival:
        """Fetch a page; raises ToolError when there is none to be had."""
        with self.plainly(start):
            async with asyncio.timeout(self.seconds):
                return await self.travel(start)

    async def travel(self, start: Address) -> Arrival:
        here = start
        for _ in range(MOST + 1):
            answer = await self.door.get(here, await resolved(here, self.allowed, self.resolver))
            if answer.status not in REDIRECTED or not answer.location:
                return arrived(here, answer)
            there = onward(answer, here)
            said = verdict(there, self.allowed)
            if isinstance(said, Deny):
                raise ToolError(f"{here.authority} leads on to what is never fetched. {said.reason}")
            if not (isinstance(said, Allow) or same_site(there, start)):
                return Arrival(here, answer, there)
            here = there
        raise ToolError(f"{start.shown} leads on and on: {MOST} redirects were followed, and there is one more.")

    @contextmanager
    def plainly(self, start: Address) -> Iterator[None]:
        """Say what went wrong on the way in words."""
        from httpx2 import HTTPError, InvalidURL

        try:
            yield
        except TimeoutError:
            raise ToolError(f"{start.authority} did not send the page within {self.seconds:g} seconds.") from None
        except (HTTPError, InvalidURL) as error:
            raise ToolError(explained(start, error)) from None


def arrived(address: Address, answer: Answer) -> Arrival:
    """The end of a journey, if there is a page."""
    if not 200 <= answer.status < 300:
        raise ToolError(refusal(address, answer.status))
    return Arrival(address, answer)


def onward(answer: Answer, here: Address) -> Address:
    """Where an answer leads to. What it says there is not repeated where it is no page."""
    try:
        return read(answer.location, here)
    except ToolError:
        raise ToolError(f"{here.shown} leads on to something that is no page, and is never fetched.") from None


def same_site(there: Address, start: Address) -> bool:
    """Whether a redirect stays with the host that was allowed for this call, at its port or the usual ones."""
    usual = there.port == PORTS[there.scheme] and start.port == PORTS[start.scheme]
    return there.host == start.host and (there.port == start.port or usual)
