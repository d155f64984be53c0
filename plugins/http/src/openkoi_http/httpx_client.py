"""Send requests with httpx2: through a proxy, with cassettes, and whatever is not plain HTTP/1.1."""

from typing import TYPE_CHECKING

from .api_request import ApiRequest

if TYPE_CHECKING:
    from httpx2 import URL, AsyncClient, Request, Response

    from .recorder import Recorder
    from .server import Server

MAX_ADDRESSES = 100  # paths whose addresses are kept; some services have ids in them, so that each is another one


class HttpxClient:
    """A client of httpx2, for one request at a time. ``addresses`` are those of paths, which all clients share."""

    def __init__(
        self, client: "AsyncClient", server: "Server", addresses: "dict[str, URL]", recorder: "Recorder | None"
    ) -> None:
        self._client = client
        self._server = server
        self._addresses = addresses
        self._recorder = recorder

    async def send(self, request: ApiRequest) -> "Response":
        """Send a request; return the response once its headers have arrived."""
        sent = self._build(request)
        if self._recorder:
            return await self._recorder.send(self._client, sent)
        return await self._client.send(sent, stream=True)

    def _build(self, request: ApiRequest) -> "Request":
        path = request.path
        built = self._client.build_request(request.method, self._addresses.get(path, path), content=request.body)
        if path not in self._addresses:
            if origin_of(built.url) != origin_of(self._client.base_url):
                raise self._server.rejected_error("was not contacted: the request's address belongs to another server.")
            if len(self._addresses) < MAX_ADDRESSES:
                self._addresses[path] = built.url
        built.headers.update(request.headers_for(str(built.url)))
        return built

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


def origin_of(url: "URL") -> tuple[str, str, int | None]:
    """Return the scheme, host and port of a URL."""
    return url.scheme, url.host, url.port
