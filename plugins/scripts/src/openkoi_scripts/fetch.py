"""Fetch an address for a sandboxed plugin: each redirect is checked, and time and size are limited."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from openkoi_base.grants import Capabilities
from openkoi_hookspecs import KoiError

if TYPE_CHECKING:
    import httpx2

MAX_SECONDS = 10.0
MAX_BYTES = 1_000_000
MAX_REDIRECTS = 5
NOT_GRANTED = "{url} is not granted. [capabilities] network has {granted}."


async def fetch(url: str, capabilities: Capabilities) -> Mapping[str, object]:
    """Return the status and the text of an address; raise KoiError where it is not granted or does not answer.

    No cookies, credentials or proxies of the user are used.
    """
    import httpx2

    try:
        async with asyncio.timeout(MAX_SECONDS), httpx2.AsyncClient(trust_env=False, timeout=MAX_SECONDS) as client:
            for _ in range(MAX_REDIRECTS + 1):
                refuse_unless_granted(url, capabilities)
                async with client.stream("GET", url, follow_redirects=False) as response:
                    if not response.has_redirect_location:
                        return {"status": response.status_code, "text": await read_text(response)}
                    url = urljoin(url, response.headers["location"])
    except TimeoutError:
        raise KoiError(f"{url} did not answer within {MAX_SECONDS:g} s.") from None
    except httpx2.HTTPError as error:
        raise KoiError(f"{url} cannot be fetched: {type(error).__name__}: {error}") from None
    raise KoiError(f"{url} redirects more than {MAX_REDIRECTS} times.")


def refuse_unless_granted(url: str, capabilities: Capabilities) -> None:
    """Raise KoiError for an address that no pattern of the manifest stands for."""
    if not capabilities.may_fetch(url):
        granted = ", ".join(f"{one.scheme}://{one.host}{one.path}" for one in capabilities.network)
        raise KoiError(NOT_GRANTED.format(url=repr(url[:200]), granted=granted))


async def read_text(response: "httpx2.Response") -> str:
    """Return the text of a response; raise KoiError for one that is too large."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            raise KoiError(f"{response.url} sent more than {MAX_BYTES:,} bytes.")
    return body.decode(response.encoding or "utf-8", "replace")
