"""Close the connections of a provider or embedder to its server when the plugin is shut down."""

from typing import Self

from .api_client import ApiClient


class ApiPlugin:
    """A provider or embedder of one server, whose connections are closed when it is left."""

    _client: ApiClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__()
