"""Where Ollama listens, read from ``OLLAMA_HOST`` as its own client reads it. Knows addresses; opens nothing."""

from ipaddress import ip_address

LOCAL = "http://127.0.0.1:11434"
PORT = "11434"
PORTS = {"http": "80", "https": "443"}
CLOUD = "ollama.com"


def base_url_of(host: str) -> str:
    """Make a web address of a host, a port, both, or an address. What is not said is this machine and port 11434.

    A scheme brings its own port. 0.0.0.0 is where a server listens, and no place to send to: it becomes loopback.
    """
    scheme, said, rest = host.strip(" \t\r\n\"'").rpartition("://")
    address, _, path = rest.partition("/")
    if not said:
        scheme = "https" if address == CLOUD else "http"
    login, at, address = address.rpartition("@")
    name, port = name_and_port(address)
    usual = PORTS.get(scheme.lower(), PORT) if said or address == CLOUD else PORT
    tail = f"/{path.strip('/')}" if path.strip("/") else ""
    return f"{scheme.lower()}://{login}{at}{reachable(name)}:{port or usual}{tail}"


def name_and_port(address: str) -> tuple[str, str]:
    """Split an address; what is missing is empty. Digits alone are a port, colons alone make an IPv6 address."""
    if address.isdecimal():
        return "", address
    if ":" not in address or is_ip(address.strip("[]")):
        return address.strip("[]"), ""
    name, _, port = address.rpartition(":")
    return name.strip("[]"), port


def reachable(name: str) -> str:
    """Write a host as it stands in a web address, one that can be sent to."""
    if not is_ip(name):
        return name or "127.0.0.1"
    ip = ip_address(name)
    if ip.version == 4:
        return "127.0.0.1" if ip.is_unspecified else name
    return "[::1]" if ip.is_unspecified else f"[{name}]"


def is_ip(text: str) -> bool:
    """Whether this is an IP address, of either kind."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def authorization(api_key: str) -> dict[str, str]:
    """The header that shows a key; none without one."""
    key = api_key.strip()
    return {"Authorization": f"Bearer {key}"} if key else {}
