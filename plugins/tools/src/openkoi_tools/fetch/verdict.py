"""What holds for an address before anything is sent: not even its name is looked up. Pure."""

from openkoi_hookspecs import Allow, Ask, Deny, Permission

from .address import PORTS, PageAddress
from .allowed import Allowed, is_local


def verdict(address: PageAddress, allowed: Allowed) -> Permission:
    """Allow what is listed, deny what leads to this machine or its network, ask about the rest."""
    if address.ip and not allowed.reaches(address.ip, address):
        return Deny(reason_blocked(address))
    if is_local(address.host) and not allowed.names(address.host, address.port):
        return Deny(reason_blocked(address))
    if allowed.covers(address):
        return Allow()
    return Ask(
        f"{address.authority} is not among the hosts that may be read without asking. "
        "What is in the address goes there: it can carry data out. "
        f"To be asked no more, add it to [tools.fetch] allow: {line(address.host, address.port)!r}."
    )


def reason_blocked(address: PageAddress, leading: str = "") -> str:
    """Why an address is not connected to; ``leading`` is what its name stands for."""
    leads = f"{address.authority} leads to {leading}, which" if leading else address.authority
    return (
        f"{leads} is not a public address: pages of this machine, of its network and of its cloud are not fetched. "
        f"A person can list it in [tools.fetch] allow: {line(leading or address.host, address.port)!r}."
    )


def line(host: str, port: int) -> str:
    """What a person would write into the list."""
    if port in PORTS.values():
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
