"""Find credentials: from the configuration, or where the AWS tools look.

botocore is imported in a thread, only when no credentials are configured.
"""

from collections.abc import Callable
from dataclasses import field
from threading import Lock
from typing import Protocol, TypeAlias

from openkoi_hookspecs import ProviderError, ProviderUnavailableError, RequestRejectedError
from openkoi_hookspecs.lazy_dataclass import dataclass

NO_CREDENTIALS = (
    "Bedrock found no AWS credentials. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
    "or log in (aws configure, aws sso login)."
)
INSTANCE_ROLE_PROVIDER = "iam-role"


@dataclass(frozen=True, slots=True)
class AwsKeys:
    """The keys that sign a request; ``session`` belongs to temporary keys."""

    access: str
    secret: str = field(repr=False)
    session: str = field(default="", repr=False)


Keyring: TypeAlias = Callable[[], AwsKeys]


class FrozenCredentials(Protocol):
    """A snapshot of botocore's credentials."""

    access_key: str
    secret_key: str
    token: str | None


class Credentials(Protocol):
    """Credentials that botocore renews when they expire."""

    def get_frozen_credentials(self) -> FrozenCredentials:
        """Return valid credentials; may make a request."""


class CredentialChain:
    """Look for credentials where the AWS tools do; use the instance role only when asked to."""

    def __init__(self, *, instance_role: bool) -> None:
        self._instance_role = instance_role
        self._credentials: Credentials | None = None
        self._alone = Lock()

    def __call__(self) -> AwsKeys:
        """Return valid keys; raise RequestRejectedError when there are none. Call it in a thread."""
        from botocore.exceptions import (  # type: ignore[import-untyped]  # botocore carries no types
            BotoCoreError,
            ClientError,
        )

        try:
            with self._alone:
                return self._resolve()
        except (BotoCoreError, ClientError) as error:
            raise credentials_error(error) from None

    def _resolve(self) -> AwsKeys:
        self._credentials = self._credentials or load_credentials(instance_role=self._instance_role)
        if self._credentials is None:
            raise RequestRejectedError(NO_CREDENTIALS)
        now = self._credentials.get_frozen_credentials()
        return AwsKeys(now.access_key, now.secret_key, now.token or "")


def load_credentials(*, instance_role: bool) -> Credentials | None:
    """Return the first credentials of botocore's chain."""
    from botocore.session import Session  # type: ignore[import-untyped]  # botocore carries no types

    session = Session()
    if not instance_role:
        session.get_component("credential_provider").remove(INSTANCE_ROLE_PROVIDER)
    credentials: Credentials | None = session.get_credentials()
    return credentials


def credentials_error(error: Exception) -> ProviderError:
    """Return the error for missing credentials; a network failure may pass."""
    from botocore.exceptions import HTTPClientError

    what = f"Bedrock found no valid AWS credentials ({str(error).rstrip('.')})."
    if isinstance(error, HTTPClientError):
        return ProviderUnavailableError(f"{what} Check the network.")
    return RequestRejectedError(f"{what} Log in again (aws sso login), or check AWS_PROFILE.")
