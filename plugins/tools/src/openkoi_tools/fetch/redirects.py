"""Follow redirects from an address to its page; check, resolve and connect at each step."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_hookspecs import Allow, Deny, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .address import PORTS, PageAddress, parse_address
from .address_check import check_address
from .allowlist import Allowed
from .http_fetcher import HttpAnswer, HttpFetcher
from .name_resolution import Resolver, resolve_host

REDIRECTED = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where the redirects ended; ``redirect_target`` is a target on a host that was not approved."""

    address: PageAddress
    answer: HttpAnswer
    onward: PageAddress | None = None


@dataclass(frozen=True, slots=True)
class RedirectFollower:
    """Follows redirects to allowed hosts, within a time limit."""

    allowed: Allowed
    door: HttpFetcher
    resolver: Resolver
    seconds: float

    async def fetch(self, start: PageAddress) -> Arrival:
        """Fetch a page; raise ToolError if it is unavailable."""
        with self.convert_errors(start):
            async with asyncio.timeout(self.seconds):
                return await self.follow(start)

    async def follow(self, start: PageAddress) -> Arrival:
        here = start
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self.door.get(here, await resolve_host(here, self.allowed, self.resolver))
            if answer.status not in REDIRECTED or not answer.location:
                return check_arrival(here, answer)
            there = redirect_target(answer, here)
            permission = check_address(there, self.allowed)
            if isinstance(permission, Deny):
                raise ToolError(f"{here.authority} redirects to an address that is never fetched. {permission.reason}")
            if not (isinstance(permission, Allow) or is_same_site(there, start)):
                return Arrival(here, answer, there)
            here = there
        raise ToolError(f"{start.printable} redirects more than {MAX_REDIRECTS} times.")

    @contextmanager
    def convert_errors(self, start: PageAddress) -> Iterator[None]:
        """Convert errors to messages."""
        from httpx2 import HTTPError, InvalidURL

        from .failures import explain_error

        try:
            yield
        except TimeoutError:
            raise ToolError(f"{start.authority} did not send the page within {self.seconds:g} seconds.") from None
        except (HTTPError, InvalidURL) as error:
            raise ToolError(explain_error(start, error)) from None


def check_arrival(address: PageAddress, answer: HttpAnswer) -> Arrival:
    """Return the end of the redirects, if there is a page."""
    if not 200 <= answer.status < 300:
        from .failures import explain_status

        raise ToolError(explain_status(address, answer.status))
    return Arrival(address, answer)


def redirect_target(answer: HttpAnswer, here: PageAddress) -> PageAddress:
    """Return the target of a redirect; an invalid one is not quoted."""
    try:
        return parse_address(answer.location, here)
    except ToolError:
        raise ToolError(f"{here.printable} redirects to an address that cannot be fetched.") from None


def is_same_site(there: PageAddress, start: PageAddress) -> bool:
    """Return whether a redirect stays with the host that was allowed for this call, at its port or the usual ones."""
    usual = there.port == PORTS[there.scheme] and start.port == PORTS[start.scheme]
    return there.host == start.host and (there.port == start.port or usual)
