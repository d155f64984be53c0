"""Sign requests with AWS Signature Version 4 (SigV4).

botocore is imported in a thread, before the first signature.
"""

import asyncio
from collections.abc import Mapping

from openkoi_http import Server

from .credentials import AwsKeys, Keyring

SERVICE = "bedrock"


class RequestSigner:
    """Sign requests with valid keys; await ``ready`` before each request."""

    def __init__(self, keyring: Keyring, region: str) -> None:
        self._keyring = keyring
        self._region = region
        self._keys = AwsKeys("", "")

    async def ready(self) -> None:
        """Load keys and botocore in a thread."""
        self._keys = await asyncio.to_thread(self._load)

    def __call__(self, method: str, url: str, body: bytes) -> Mapping[str, str]:
        """Return the headers that sign a request."""
        return sign_request((method, url, body), self._keys, self._region)

    def hide_keys(self, server: Server) -> None:
        """Mask the keys in the server's messages."""
        for secret in (self._keys.secret, self._keys.session):
            server.redactor.hold(secret, "the AWS credentials")

    def _load(self) -> AwsKeys:
        import botocore.auth  # type: ignore[import-untyped]  # botocore carries no types
        import botocore.awsrequest  # type: ignore[import-untyped] # noqa: F401 - it takes time, which this thread has

        return self._keyring()


def sign_request(request: tuple[str, str, bytes], keys: AwsKeys, region: str) -> Mapping[str, str]:
    """Return the headers that sign a method, URL and body."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials  # type: ignore[import-untyped]  # botocore carries no types

    method, url, body = request
    made = AWSRequest(method, url, data=body)
    SigV4Auth(Credentials(keys.access, keys.secret, keys.session or None), SERVICE, region).add_auth(made)
    return {str(name): str(value) for name, value in made.headers.items()}
