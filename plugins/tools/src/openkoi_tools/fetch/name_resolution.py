"""Prevent SSRF: resolve a host's name once, check its addresses, and let only these be connected to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from openkoi_hookspecs import ToolError

from .address import PageAddress, ip_of
from .address_check import reason_blocked
from .allowlist import Allowed

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
MAX_TRIED_ADDRESSES = 4


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """Resolve a name by the system, the preferred address first."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in found]


async def resolve_host(address: PageAddress, allowed: Allowed, resolver: Resolver) -> Sequence[str]:
    """Return the addresses to fetch a page from; raise ToolError when one is blocked, or none exists."""
    if address.ip:
        found: Sequence[str] = [address.host]
    else:
        try:
            found = await resolver(address.host, address.port)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ToolError(f"Cannot resolve {address.host}: {why}. Check its spelling.") from None
    for text in found:
        ip = ip_of(text)
        if ip is None or not allowed.reaches(ip, address):
            raise ToolError(reason_blocked(address, "" if address.ip else text))
    if not found:
        raise ToolError(f"The name {address.host} has no address. Check its spelling.")
    return tuple(dict.fromkeys(found))[:MAX_TRIED_ADDRESSES]
