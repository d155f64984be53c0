"""Where the keys of a request come from: the configuration, or else wherever the vendor's own tools would look.

Knows no requests. botocore is imported, in a thread, when keys are wanted that were not given.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol, TypeAlias

from openkoi_hookspecs import ProviderError, ProviderUnavailableError, RequestRejectedError

NONE_FOUND = (
    "Bedrock found no AWS credentials. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
    "or log in (aws configure, aws sso login)."
)
ROLE_OF_A_MACHINE = "iam-role"


@dataclass(frozen=True, slots=True)
class Keys:
    """What a request is signed with; ``session`` belongs to keys that run out."""

    access: str
    secret: str = field(repr=False)
    session: str = field(default="", repr=False)


Keyring: TypeAlias = Callable[[], Keys]


class Frozen(Protocol):
    """Keys as botocore hands them out."""

    access_key: str
    secret_key: str
    token: str | None


class Credentials(Protocol):
    """Keys that botocore renews when they have run out."""

    def get_frozen_credentials(self) -> Frozen:
        """Return what holds now; may ask a server."""


class Chain:
    """Looks where the vendor's own tools look: profiles, logins, containers; the role of a machine when asked to."""

    def __init__(self, *, instance_role: bool) -> None:
        self._instance_role = instance_role
        self._credentials: Credentials | None = None
        self._alone = Lock()

    def __call__(self) -> Keys:
        """Return keys that hold now; raises RequestRejectedError when there are none. Called in a thread."""
        from botocore.exceptions import (  # type: ignore[import-untyped]  # botocore carries no types
            BotoCoreError,
            ClientError,
        )

        try:
            with self._alone:
                return self._keys()
        except (BotoCoreError, ClientError) as error:
            raise unobtainable(error) from None

    def _keys(self) -> Keys:
        self._credentials = self._credentials or found(instance_role=self._instance_role)
        if self._credentials is None:
            raise RequestRejectedError(NONE_FOUND)
        now = self._credentials.get_frozen_credentials()
        return Keys(now.access_key, now.secret_key, now.token or "")


def found(*, instance_role: bool) -> Credentials | None:
    """Find the first credentials of botocore's chain."""
    from botocore.session import Session  # type: ignore[import-untyped]  # botocore carries no types

    session = Session()
    if not instance_role:
        session.get_component("credential_provider").remove(ROLE_OF_A_MACHINE)
    credentials: Credentials | None = session.get_credentials()
    return credentials


def unobtainable(error: Exception) -> ProviderError:
    """Say why there are no keys; a server that could not be reached may be reached later."""
    from botocore.exceptions import HTTPClientError

    what = f"Bedrock found no AWS credentials that hold ({str(error).rstrip('.')})."
    if isinstance(error, HTTPClientError):
        return ProviderUnavailableError(f"{what} Check the network.")
    return RequestRejectedError(f"{what} Log in again (aws sso login), or check AWS_PROFILE.")
