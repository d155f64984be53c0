"""Decide about an address before anything is sent, without resolving its name."""

from openkoi_hookspecs import Allow, Ask, Deny, Permission

from .address import PORTS, PageAddress
from .allowlist import Allowed, is_local


def check_address(address: PageAddress, allowed: Allowed) -> Permission:
    """Allow the hosts of the allowlist, deny those of this machine or its network, ask about the rest."""
    if address.ip and not allowed.reaches(address.ip, address):
        return Deny(reason_blocked(address))
    if is_local(address.host) and not allowed.names(address.host, address.port):
        return Deny(reason_blocked(address))
    if allowed.covers(address):
        return Allow()
    return Ask(
        f"{address.authority} is not an allowed host. "
        "The URL, which may contain data, would be sent to it. "
        f"To allow it permanently, add it to [tools.fetch] allow: {allowlist_line(address.host, address.port)!r}."
    )


def reason_blocked(address: PageAddress, leading: str = "") -> str:
    """Return why an address is not connected to; ``leading`` is what its name resolves to."""
    leads = f"{address.authority} resolves to {leading}, which" if leading else address.authority
    return (
        f"{leads} is not a public address: pages on this machine, its network or its cloud are not fetched. "
        f"The user can list it in [tools.fetch] allow: {allowlist_line(leading or address.host, address.port)!r}."
    )


def allowlist_line(host: str, port: int) -> str:
    """Return the line for the list."""
    if port in PORTS.values():
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
