"""Sign in to a homeserver with a password, or with an access token that the user has."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from openkoi_hookspecs import AppError, AppRejectedError, Json, SignInRequiredError
from openkoi_http import AppClient, ResponseLimits

ASK_OWNER = "Your own Matrix ID, from which invitations are accepted (@you:example.org)"
ASK_USER = "The Matrix ID of the account that you created for the assistant (@koi:example.org)"
ASK_SECRET = "The password for {0}, or an access token for it"
OVER = "The Matrix session has ended ({0}). Run `openkoi connect matrix`."
REFUSED = "Matrix rejected this password or access token: {0}"
USER = re.compile(r"@[^:\s]+:[^\s/]+")
LIMITS = ResponseLimits(idle_seconds=20.0)


def check_user(text: str) -> str:
    """Return a Matrix ID; raise AppRejectedError for anything else."""
    if not USER.fullmatch(text.strip()):
        raise AppRejectedError(f"{text.strip()!r} is not a Matrix ID. Enter one such as @koi:example.org.")
    return text.strip()


async def find_homeserver(user: str) -> str:
    """Return the address of the homeserver of a user, as its domain publishes it."""
    domain = user.partition(":")[2]
    async with AppClient(f"https://{domain}", bounds=LIMITS) as server:
        try:
            published: Any = await server.fetch("/.well-known/matrix/client")
            return str(published["m.homeserver"]["base_url"]).rstrip("/")
        except (AppError, KeyError, TypeError):
            return f"https://{domain}"


class Tokens(NamedTuple):
    """An access token, and the refresh token for when it expires; empty if it never expires."""

    access: str
    refresh: str


async def refresh_tokens(base_url: str, refresh_token: str) -> Tokens:
    """Return new tokens for a session; raise SignInRequiredError if the session has ended."""
    async with AppClient(base_url, bounds=LIMITS) as api:
        try:
            found: Any = await api.call("/_matrix/client/v3/refresh", {"refresh_token": refresh_token})
        except AppRejectedError as error:
            raise SignInRequiredError(OVER.format(error)) from None
    return Tokens(str(found["access_token"]), str(found.get("refresh_token") or refresh_token))


async def sign_in(base_url: str, user: str, secret: str) -> Tokens:
    """Return an access token: a new one for a password, else the secret itself, if it is a token of this user."""
    login: dict[str, Json] = {
        "type": "m.login.password",
        "identifier": {"type": "m.id.user", "user": user},
        "password": secret,
        "initial_device_display_name": "OpenKoi",
        "refresh_token": True,
    }
    async with AppClient(base_url, bounds=LIMITS) as api:
        try:
            found: Any = await api.call("/_matrix/client/v3/login", login)
            return Tokens(str(found["access_token"]), str(found.get("refresh_token") or ""))
        except AppRejectedError as error:
            refusal = error
    headers: Mapping[str, str] = {"Authorization": f"Bearer {secret}"}
    async with AppClient(base_url, headers=headers, bounds=LIMITS) as api:
        try:
            owner: Any = await api.fetch("/_matrix/client/v3/account/whoami")
        except AppRejectedError:
            raise SignInRequiredError(REFUSED.format(refusal)) from None
    if owner.get("user_id") != user:
        raise AppRejectedError(f"This access token belongs to {owner.get('user_id')}, not to {user}.")
    return Tokens(secret, "")
