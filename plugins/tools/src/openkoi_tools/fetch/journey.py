"""Follow redirects from an address to its page; check, resolve and connect at each step."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from openkoi_hookspecs import Allow, Deny, ToolError

from .address import PORTS, PageAddress, read
from .allowed import Allowed
from .door import Door, HttpAnswer
from .failures import explain_error, refusal
from .resolving import Resolver, resolve_host
from .verdict import verdict

REDIRECTED = frozenset({301, 302, 303, 307, 308})
MOST = 5


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where the redirects ended; ``onward`` is a target on a host that was not approved."""

    address: PageAddress
    answer: HttpAnswer
    onward: PageAddress | None = None


@dataclass(frozen=True, slots=True)
class Traveller:
    """Goes where it is allowed to, within so many seconds."""

    allowed: Allowed
    door: Door
    resolver: Resolver
    seconds: float

    async def go(self, start: PageAddress) -> Arrival:
        """Fetch a page; raises ToolError when there is none to be had."""
        with self.plainly(start):
            async with asyncio.timeout(self.seconds):
                return await self.travel(start)

    async def travel(self, start: PageAddress) -> Arrival:
        here = start
        for _ in range(MOST + 1):
            answer = await self.door.get(here, await resolve_host(here, self.allowed, self.resolver))
            if answer.status not in REDIRECTED or not answer.location:
                return check_arrival(here, answer)
            there = onward(answer, here)
            said = verdict(there, self.allowed)
            if isinstance(said, Deny):
                raise ToolError(f"{here.authority} leads on to what is never fetched. {said.reason}")
            if not (isinstance(said, Allow) or same_site(there, start)):
                return Arrival(here, answer, there)
            here = there
        raise ToolError(f"{start.printable} leads on and on: {MOST} redirects were followed, and there is one more.")

    @contextmanager
    def plainly(self, start: PageAddress) -> Iterator[None]:
        """Say what went wrong on the way in words."""
        from httpx2 import HTTPError, InvalidURL

        try:
            yield
        except TimeoutError:
            raise ToolError(f"{start.authority} did not send the page within {self.seconds:g} seconds.") from None
        except (HTTPError, InvalidURL) as error:
            raise ToolError(explain_error(start, error)) from None


def check_arrival(address: PageAddress, answer: HttpAnswer) -> Arrival:
    """Return the end of the redirects, if there is a page."""
    if not 200 <= answer.status < 300:
        raise ToolError(refusal(address, answer.status))
    return Arrival(address, answer)


def onward(answer: HttpAnswer, here: PageAddress) -> PageAddress:
    """Return the target of a redirect; an invalid one is not quoted."""
    try:
        return read(answer.location, here)
    except ToolError:
        raise ToolError(f"{here.printable}redirects to something that is not a page and cannot be fetched.") from None


def same_site(there: PageAddress, start: PageAddress) -> bool:
    """Whether a redirect stays with the host that was allowed for this call, at its port or the usual ones."""
    usual = there.port == PORTS[there.scheme] and start.port == PORTS[start.scheme]
    return there.host == start.host and (there.port == start.port or usual)
