"""Sign requests as AWS wants them signed. botocore is imported, in a thread, before the first signature."""

import asyncio
from collections.abc import Mapping

from openkoi_wire import Server

from .keys import Keyring, Keys

SERVICE = "bedrock"


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

    def hide(self, server: Server) -> None:
        """Have our keys masked in whatever a server says."""
        for secret in (self._keys.secret, self._keys.session):
            server.redactor.hold(secret, "the AWS credentials")

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
