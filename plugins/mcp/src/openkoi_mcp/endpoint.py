"""Read the message endpoint that a server of the older transport announces before it accepts any request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

from httpx2 import EventSource, ServerSentEvent, SSEError
from mcp.shared._httpx_utils import sse_within_origin

from openkoi_base.printable import visible

from .error_output import cut

ENDPOINT = "endpoint"
FOREIGN = "its message endpoint is on {named} instead of {own}; nothing was sent"
MISSING = "it did not send a message endpoint"
MALFORMED = "it sent an invalid message endpoint"
ENDED = "its event stream ended before it sent a message endpoint"


@asynccontextmanager
async def open_events(client: Any, url: str) -> AsyncIterator[EventSource]:
    """Yield a server's events of any length, without the SDK's limit of 1 MiB per event."""
    async with sse_within_origin(client, url, max_event_size=None) as source:
        yield EventsFromEndpoint(source.response, url)


class EventsFromEndpoint(EventSource):
    """Events that begin with the endpoint. After any other first event or error, the SDK would wait forever."""

    def __init__(self, response: Any, url: str) -> None:
        super().__init__(response, max_event_size=None)
        self.url = url

    async def __aiter__(self) -> AsyncIterator[ServerSentEvent]:
        events = super().__aiter__()
        yield await self.find_endpoint(events)
        async for event in events:
            yield event

    async def find_endpoint(self, events: AsyncIterator[ServerSentEvent]) -> ServerSentEvent:
        """Return the event with the endpoint; raise SSEError, which the SDK passes on, if there is no usable one."""
        try:
            async for event in events:
                if event.event == ENDPOINT:
                    check_origin(self.url, event.data)
                    return event
        except SSEError:
            raise
        except Exception as error:
            raise SSEError(ENDED) from error
        raise SSEError(MISSING)


def check_origin(url: str, endpoint: str) -> None:
    """Raise SSEError if an endpoint is on another server than the one that sent it."""
    try:
        own, named = urlsplit(url), urlsplit(urljoin(url, endpoint))
    except ValueError:
        raise SSEError(MALFORMED) from None
    if own[:2] != named[:2]:
        host = own.netloc.rpartition("@")[2]  # without the user's name and password
        raise SSEError(
            FOREIGN.format(named=cut(visible(f"{named.scheme}://{named.netloc}")), own=f"{own.scheme}://{host}")
        )
