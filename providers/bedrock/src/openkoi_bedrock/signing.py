"""Sign requests as AWS wants them signed. botocore is imported, in a thread, before the first signature."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from openkoi_wire import Server

from .keys import Keyring, Keys

SERVICE = "bedrock"
SHORTEST_SECRET = 6


class Signer:
    """Signs with the keys that hold; ``ready`` is awaited before each request."""

    def __init__(self, keyring: Keyring, region: str) -> None:
        self._keyring = keyring
        self._region = region
        self._keys = Keys("", "")

    async def ready(self) -> None:
        """Have keys that hold, and what is needed to sign, without holding anybody up."""
        self._keys = await asyncio.to_thread(self._prepared)

    def __call__(self, method: str, url: str, body: bytes) -> Mapping[str, str]:
        """Make the headers that prove who asks."""
        return signed((method, url, body), self._keys, self._region)

    def hiding(self, server: Server) -> Server:
        """Name a server such that our keys are not repeated, whatever it says."""
        ours = {secret for secret in (self._keys.secret, self._keys.session) if len(secret) >= SHORTEST_SECRET}
        return replace(server, secrets=tuple(sorted({*server.secrets, *ours}, key=len, reverse=True)))

    def _prepared(self) -> Keys:
        import botocore.auth  # type: ignore[import-untyped]  # botocore carries no types
        import botocore.awsrequest  # type: ignore[import-untyped] # noqa: F401 - it takes time, which this thread has

        return self._keyring()


def signed(request: tuple[str, str, bytes], keys: Keys, region: str) -> Mapping[str, str]:
    """Sign a method, an address and a body."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials  # type: ignore[import-untyped]  # botocore carries no types

    method, url, body = request
    made = AWSRequest(method, url, data=body)
    SigV4Auth(Credentials(keys.access, keys.secret, keys.session or None), SERVICE, region).add_auth(made)
    return {str(name): str(value) for name, value in made.headers.items()}
