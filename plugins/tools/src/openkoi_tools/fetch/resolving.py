"""A host's name looked up once, and what it stands for judged: only what comes out of here is connected to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from openkoi_hookspecs import ToolError

from .address import PageAddress, ip_of
from .allowed import Allowed
from .verdict import reason_blocked

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
TRIED = 4


async def system(host: str, port: int) -> Sequence[str]:
    """Ask the system what a name stands for, the best first."""
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
            raise ToolError(f"The name {address.host} could not be looked up: {error}. Check its spelling.") from None
    for text in found:
        ip = ip_of(text)
        if ip is None or not allowed.reaches(ip, address):
            raise ToolError(reason_blocked(address, "" if address.ip else text))
    if not found:
        raise ToolError(f"The name {address.host} stands for no address. Check its spelling.")
    return tuple(dict.fromkeys(found))[:TRIED]
