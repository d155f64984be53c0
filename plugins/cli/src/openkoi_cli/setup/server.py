"""Another server was picked: ask where it is, and for a key only when it wants one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import (
    ConfigError,
    Koi,
    KoiError,
    NoProviderError,
    ProviderError,
    RequestRejectedError,
)
from openkoi_http import ApiClient
from openkoi_settings.keys import DEFAULT_MODEL

from .addresses import ServerAddress, address_in, bases, names_in
from .key import REFUSED, TRIES, unlike_a_key
from .options import CUSTOM
from .terminal import SetupTerminal, say

SECONDS = 10.0
CLOSED = (REFUSED, "(403)")
UNKNOWN = "(404)"


async def use_server(koi: Koi, person: SetupTerminal) -> None:
    """Use the first model that a server lists."""
    at, names = await ask_reachable_server(koi, person)
    keep(koi, at, f"{CUSTOM}/{names[0]}")
    say(f"  Using: {names[0]}\n")


def keep(koi: Koi, at: ServerAddress, model: str) -> None:
    """Save where the server is; a key of another server is never shown to it."""
    if at.key:
        say(f"  Saved to {koi.save_key(CUSTOM, at.key)}")
    elif CUSTOM in koi.saved_keys():
        koi.save_key(CUSTOM, "")
    say(f"  Saved to {koi.set_setting(f'providers.{CUSTOM}.base_url', at.url)}")
    koi.set_setting(DEFAULT_MODEL.name, model)


async def ask_reachable_server(koi: Koi, person: SetupTerminal) -> tuple[ServerAddress, Sequence[str]]:
    """Return a server that lists models, and the models; ask twice at most."""
    for _ in range(TRIES):
        try:
            return await list_with_key(koi, person, address_in(await person.address("URL [key]: ")))
        except KoiError as error:
            say(f"  ! {error}")
    raise NoProviderError("No server was found that lists models, and nothing was saved. With a good one: openkoi init")


async def list_with_key(koi: Koi, person: SetupTerminal, given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """Return the server's models, asking for a key if required; raise when that is rejected too."""
    if given.key:
        check_key(given.key)
    try:
        return await locate_models(koi, given)
    except RequestRejectedError as error:
        if not needs_key(error):
            raise
        say(f"  ! {error}" if given.key else f"  {given.printable} wants a key.")
    key = (await person.secret("Paste the key of this server: ")).strip()
    check_key(key)
    return await locate_models(koi, replace(given, key=key))


def check_key(key: str) -> None:
    """Raise ConfigError for a key that cannot be sent."""
    if wrong := unlike_a_key(key):
        raise ConfigError(wrong)


def needs_key(error: ProviderError) -> bool:
    """Return whether a server rejects requests without a valid key."""
    return any(status in str(error) for status in CLOSED)


async def locate_models(koi: Koi, given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """Where under an address the models are listed, and which they are.

    Raises NoProviderError when it takes too long.
    """
    if given.key:
        koi.use_key(CUSTOM, given.key)
    try:
        async with asyncio.timeout(SECONDS):
            return await first_list(given)
    except TimeoutError:
        raise NoProviderError(f"{given.printable} did not answer within {SECONDS:g} s. Is the address right?") from None


async def first_list(given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """The first list that has models in it; raises what was said where it was most likely."""
    errors: list[ProviderError] = []
    for at in (replace(given, url=url) for url in bases(given.url)):
        try:
            if names := await list_models(at):
                return at, names
            errors.append(NoProviderError(f"{at.printable} lists no models. Let it serve one."))
        except ProviderError as error:
            if needs_key(error):
                raise
            errors.append(error)
    raise no_models_error(given) if all(UNKNOWN in str(error) for error in errors) else errors[0]


def no_models_error(given: ServerAddress) -> NoProviderError:
    """Return the error for a server without a list of models."""
    tried = " and ".join(f"{replace(given, url=url).printable}/models" for url in bases(given.url))
    return NoProviderError(f"No list of models at {tried} (404). Most addresses end in /v1: add what is missing.")


async def list_models(at: ServerAddress) -> Sequence[str]:
    """Return the models that a server lists."""
    headers = {"Authorization": f"Bearer {at.key}"} if at.key else {}
    async with ApiClient(at.url, headers=headers) as wire:
        return names_in(await wire.get("/models"))
