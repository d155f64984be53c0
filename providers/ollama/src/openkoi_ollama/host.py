"""Read Ollama's address from ``OLLAMA_HOST`` as its own client does."""

from ipaddress import ip_address

DEFAULT_URL = "http://127.0.0.1:11434"
DEFAULT_PORT = "11434"
SCHEME_PORTS = {"http": "80", "https": "443"}
CLOUD_HOST = "ollama.com"


def parse_host(host: str) -> str:
    """Return the base URL for a host, a port, both, or a URL; default to this machine and port 11434.

    A scheme implies its default port. 0.0.0.0 is an address to listen on, not to connect to, so it becomes loopback.
    """
    scheme, has_scheme, rest = host.strip(" \t\r\n\"'").rpartition("://")
    address, _, path = rest.partition("/")
    if not has_scheme:
        scheme = "https" if address == CLOUD_HOST else "http"
    login, at, address = address.rpartition("@")
    name, port = split_port(address)
    usual = SCHEME_PORTS.get(scheme.lower(), DEFAULT_PORT) if has_scheme or address == CLOUD_HOST else DEFAULT_PORT
    tail = f"/{path.strip('/')}" if path.strip("/") else ""
    return f"{scheme.lower()}://{login}{at}{to_url_host(name)}:{port or usual}{tail}"


def split_port(address: str) -> tuple[str, str]:
    """Split an address into host and port, either of which may be empty; digits alone are a port."""
    if address.isdecimal():
        return "", address
    if ":" not in address or is_ip(address.strip("[]")):
        return address.strip("[]"), ""
    name, _, port = address.rpartition(":")
    return name.strip("[]"), port


def to_url_host(name: str) -> str:
    """Return a host as it is written in a URL, with unspecified addresses replaced by loopback."""
    if not is_ip(name):
        return name or "127.0.0.1"
    ip = ip_address(name)
    if ip.version == 4:
        return "127.0.0.1" if ip.is_unspecified else name
    return "[::1]" if ip.is_unspecified else f"[{name}]"


def is_ip(text: str) -> bool:
    """Return whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def auth_headers(api_key: str) -> dict[str, str]:
    """Return the header for a key; return none without a key."""
    key = api_key.strip()
    return {"Authorization": f"Bearer {key}"} if key else {}
