"""Find out whether a server that broke off speaks the other scheme: TLS at an http:// address, or none at https://."""

import asyncio
import os
import sys
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from .server import is_loopback

PROBE_SECONDS = 2.0
PLAIN = "does not speak TLS; nothing was sent. If it is your own server, start the base URL with http://."
TLS = "only speaks TLS. Start the base URL with https://."
# What nginx, Go and Apache answer with status 400.
TLS_WANTED = ("plain HTTP request was sent to HTTPS port", "HTTP request to an HTTPS server", "plain HTTP to an SSL")


async def describe_other_scheme(base_url: str) -> str:
    """Return the problem if the server speaks the other scheme; empty if it does not, or if a proxy is used."""
    url = urlsplit(base_url)
    if is_proxied(url):
        return ""
    with suppress(OSError, ValueError, TimeoutError):
        async with asyncio.timeout(PROBE_SECONDS):
            if url.scheme == "http":
                return TLS if await speaks_tls(url) else ""
            return PLAIN if await speaks_plain_http(url) else ""
    return ""


def is_proxied(url: SplitResult) -> bool:
    """Return whether requests to this URL go through a proxy."""
    from urllib.request import getproxies, proxy_bypass

    host, proxies = url.hostname or "", getproxies()
    return not is_loopback(host) and bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(host)


def may_be_proxied(base_url: str) -> bool:
    """Return whether requests may go through a proxy, without checking the exceptions."""
    if sys.platform not in ("darwin", "win32"):  # where the system itself may have one
        return any(name.lower().endswith("_proxy") and name.lower() != "no_proxy" for name in os.environ)
    return is_proxied(urlsplit(base_url))


async def speaks_tls(url: SplitResult) -> bool:
    """Return whether a TLS handshake is answered, with any certificate; nothing is sent after it."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        _, writer = await asyncio.open_connection(url.hostname, url.port or 80, ssl=context)
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")
    writer.close()
    return True


async def speaks_plain_http(url: SplitResult) -> bool:
    """Return whether a request without TLS, which contains nothing of the task, is answered."""
    reader, writer = await asyncio.open_connection(url.hostname, url.port or 443)
    try:
        writer.write(f"HEAD / HTTP/1.1\r\nHost: {url.hostname}\r\nConnection: close\r\n\r\n".encode("ascii"))
        return await reader.readexactly(5) == b"HTTP/"
    except asyncio.IncompleteReadError:
        return False
    finally:
        writer.close()
