"""Sign in by OAuth 2: with a device code (RFC 8628), and keep an access token fresh with a refresh token."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from openkoi_base.files.private_files import replace_file
from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    ConfigError,
    Json,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .app_client import AppClient, encode_fields
from .limits import ResponseLimits
from .server import Server

LIMITS = ResponseLimits(idle_seconds=20.0)
EARLY_SECONDS = 60.0  # an access token is renewed before it ends
SHORT_SECONDS = 300.0  # of a token whose server does not say how long it lives
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER_SECONDS = 5.0  # RFC 8628: after slow_down
ASK_CODE = "Open {0} and enter {1}. Once you have signed in there, press y and Enter"
UNREADABLE = "{} cannot be read: {}. Delete it, then sign in again with `openkoi connect`."
PENDING = ("authorization_pending", "slow_down")


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthClient:
    """An OAuth client that is registered with an authorization server, and the server's addresses."""

    client_id: str
    token_url: str
    device_url: str = ""
    client_secret: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """The code that the user enters at an address to allow the sign-in. ``seconds`` is the polling interval."""

    url: str
    user_code: str
    code: str
    seconds: float
    expires: float


class OAuthError(AppRejectedError):
    """An authorization server refused; ``code`` is the error code of RFC 6749."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


async def request_device_code(client: OAuthClient) -> DeviceCode:
    """Ask for a code that the user enters in a browser."""
    found = await post_form(client.device_url, {"client_id": client.client_id, "scope": client.scope})
    return DeviceCode(
        url=str(found.get("verification_uri_complete") or found.get("verification_uri") or found["verification_url"]),
        user_code=str(found["user_code"]),
        code=str(found["device_code"]),
        seconds=float(found.get("interval") or 5),
        expires=monotonic() + float(found.get("expires_in") or 900),
    )


async def ask_for_sign_in(client: OAuthClient, koi: Koi) -> str:
    """Let the user sign in with a browser; return the refresh token."""
    device = await request_device_code(client)
    await koi.ask(Question(ASK_CODE.format(device.url, device.user_code)))
    return await wait_for_refresh_token(client, device)


async def wait_for_refresh_token(client: OAuthClient, device: DeviceCode) -> str:
    """Wait until the user has entered a code; return the refresh token."""
    pause = device.seconds
    fields = {"grant_type": DEVICE_GRANT, "device_code": device.code}
    while monotonic() < device.expires:
        try:
            found = await post_form(client.token_url, {**fields, **credentials_of(client)})
            return str(found["refresh_token"])
        except OAuthError as error:
            if error.code not in PENDING:
                raise
            pause += SLOWER_SECONDS if error.code == "slow_down" else 0.0
        await asyncio.sleep(pause)
    raise AppRejectedError("The code was not entered in time. Try again.")


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A refresh token that the user saved as ``first``. One that replaces it is kept in a private file."""

    file: Path
    first: str

    def load(self) -> str:
        """Return the token that is valid now; raise ConfigError if the file cannot be read."""
        if not (self.first and self.file.exists()):
            return self.first
        try:
            kept = json.loads(self.file.read_text())
            first, now = kept["first"], kept["now"]
        except OSError as error:
            raise ConfigError(UNREADABLE.format(self.file, error.strerror)) from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConfigError(UNREADABLE.format(self.file, "it is damaged")) from None
        return now if first == self.first and isinstance(now, str) else self.first

    def save(self, token: str) -> None:
        """Save a token that replaces the previous one."""
        replace_file(self.file, json.dumps({"first": self.first, "now": token}))


class AccessToken:
    """An access token that is renewed when it ends.

    Renewals never happen twice at once: some servers accept a refresh token a single time.
    """

    def __init__(self, client: OAuthClient, refresh_token: RefreshToken, sign_in: str) -> None:
        self.client, self.kept, self.sign_in = client, refresh_token, sign_in
        self.refresh_token = refresh_token.load()
        self.token, self.expires = "", 0.0
        self.lock = asyncio.Lock()

    async def get(self) -> str:
        """Return a token that is valid for a while; raise SignInRequiredError if the user has to sign in again."""
        async with self.lock:
            if not self.token or monotonic() > self.expires:
                await self.renew()
            return self.token

    def forget(self) -> None:
        """Renew the token before its next use, because a server rejected it."""
        self.token = ""

    async def renew(self) -> None:
        """Get another token."""
        fields = {"grant_type": "refresh_token", "refresh_token": self.refresh_token}
        try:
            found = await post_form(self.client.token_url, {**fields, **credentials_of(self.client)})
        except OAuthError as error:
            raise SignInRequiredError(f"{self.sign_in} ({error})") from None
        self.token = str(found["access_token"])
        self.expires = monotonic() + float(found.get("expires_in") or SHORT_SECONDS) - EARLY_SECONDS
        rotated = str(found.get("refresh_token") or self.refresh_token)
        if rotated != self.refresh_token:
            self.refresh_token = rotated
            self.kept.save(rotated)


def credentials_of(client: OAuthClient) -> dict[str, str]:
    """Return the fields that identify a client."""
    return {"client_id": client.client_id, **({"client_secret": client.client_secret} if client.client_secret else {})}


async def post_form(url: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """Post a form to an authorization server; return the response."""
    parts = urlsplit(url)
    async with AppClient(f"{parts.scheme}://{parts.netloc}", bounds=LIMITS, explain=explain) as server:
        found: Json = await server.submit(parts.path, encode_fields(fields))
    if not isinstance(found, dict):
        raise AppUnavailableError(f"{parts.netloc} returned an invalid OAuth response.")
    return found


def explain(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise the error that an authorization server reports; return None to judge by the HTTP status."""
    try:
        answer = json.loads(body)
        code = str(answer["error"])
    except (ValueError, KeyError, TypeError):
        return
    if status < 500:
        raise OAuthError(code, f"{server.host}: {answer.get('error_description') or code}")
