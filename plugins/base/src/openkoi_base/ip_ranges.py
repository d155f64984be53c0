"""Classify IP addresses: public, private, or this machine."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

Ip: TypeAlias = IPv4Address | IPv6Address

PRIVATE = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")),
)
"""Networks of homes and companies: a host in them may be allowed by name."""
METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"))
)
"""Addresses where clouds serve a machine's own secrets."""
SPECIAL = tuple(map(ip_network, ("192.0.0.0/24", "2001::/23", "2002::/16")))
GIVEN_OUT = ip_network("2000::/3")
TRANSLATED = ip_network("64:ff9b::/96")


def is_public(ip: Ip) -> bool:
    """Return whether an address is public."""
    ip = unwrap_ip(ip)
    if ip.is_multicast or ip.is_reserved or ip in METADATA or (ip.version == 6 and ip not in GIVEN_OUT):
        return False
    return ip.is_global and not any(ip in net for net in SPECIAL)


def is_private(ip: Ip) -> bool:
    """Return whether an address is in a private network other than those of this machine and of cloud metadata."""
    ip = unwrap_ip(ip)
    return ip not in METADATA and any(ip in net for net in PRIVATE)


def is_loopback(ip: Ip) -> bool:
    """Return whether an address is this machine."""
    return unwrap_ip(ip).is_loopback


def unwrap_ip(ip: Ip) -> Ip:
    """Return the address that is actually reached if one address is embedded in another."""
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped:
            return ip.ipv4_mapped
        if ip in TRANSLATED:
            return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip
