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
from openkoi_settings.keys import DEFAULT_MODEL
from openkoi_wire import ApiClient

from .addresses import Address, address_in, bases, names_in
from .key import REFUSED, TRIES, unlike_a_key
from .options import CUSTOM
from .terminal import Terminal, say

SECONDS = 10.0
CLOSED = (REFUSED, "(403)")
UNKNOWN = "(404)"


async def use_server(koi: Koi, person: Terminal) -> None:
    """Use the first model that a server lists."""
    at, names = await reached(koi, person)
    keep(koi, at, f"{CUSTOM}/{names[0]}")
    say(f"  Using: {names[0]}\n")


def keep(koi: Koi, at: Address, model: str) -> None:
    """Save where the server is; a key of another server is never shown to it."""
    if at.key:
        say(f"  Saved to {koi.save_key(CUSTOM, at.key)}")
    elif CUSTOM in koi.saved_keys():
        koi.save_key(CUSTOM, "")
    say(f"  Saved to {koi.set_setting(f'providers.{CUSTOM}.base_url', at.url)}")
    koi.set_setting(DEFAULT_MODEL.name, model)


async def reached(koi: Koi, person: Terminal) -> tuple[Address, Sequence[str]]:
    """A server that lists models, and which they are; asked for twice at most."""
    for _ in range(TRIES):
        try:
            return await opened(koi, person, address_in(await person.address("URL [key]: ")))
        except KoiError as error:
            say(f"  ! {error}")
    raise NoProviderError("No server was found that lists models, and nothing was saved. With a good one: openkoi init")


async def opened(koi: Koi, person: Terminal, given: Address) -> tuple[Address, Sequence[str]]:
    """The server's models, with a key if it wants one; raises what it says when it refuses that one, too."""
    if given.key:
        checked(given.key)
    try:
        return await found(koi, given)
    except RequestRejectedError as error:
        if not closed(error):
            raise
        say(f"  ! {error}" if given.key else f"  {given.shown} wants a key.")
    key = (await person.secret("Paste the key of this server: ")).strip()
    checked(key)
    return await found(koi, replace(given, key=key))


def checked(key: str) -> None:
    """Raise ConfigError for a key that cannot be sent."""
    if wrong := unlike_a_key(key):
        raise ConfigError(wrong)


def closed(error: ProviderError) -> bool:
    """Whether a server lets nobody in without the right key."""
    return any(status in str(error) for status in CLOSED)


async def found(koi: Koi, given: Address) -> tuple[Address, Sequence[str]]:
    """Where under an address the models are listed, and which they are.

    Raises NoProviderError when it takes too long.
    """
    if given.key:
        koi.use_key(CUSTOM, given.key)
    try:
        async with asyncio.timeout(SECONDS):
            return await first_list(given)
    except TimeoutError:
        raise NoProviderError(f"{given.shown} did not answer within {SECONDS:g} s. Is the address right?") from None


async def first_list(given: Address) -> tuple[Address, Sequence[str]]:
    """The first list that has models in it; raises what was said where it was most likely."""
    errors: list[ProviderError] = []
    for at in (replace(given, url=url) for url in bases(given.url)):
        try:
            if names := await listed(at):
                return at, names
            errors.append(NoProviderError(f"{at.shown} lists no models. Let it serve one."))
        except ProviderError as error:
            if closed(error):
                raise
            errors.append(error)
    raise unlisted(given) if all(UNKNOWN in str(error) for error in errors) else errors[0]


def unlisted(given: Address) -> NoProviderError:
    """What is said of a server at which no list is found."""
    tried = " and ".join(f"{replace(given, url=url).shown}/models" for url in bases(given.url))
    return NoProviderError(
        f"There is no list of models at {tried} (404). Most addresses end in /v1: add what is missing."
    )


async def listed(at: Address) -> Sequence[str]:
    """The models that a server lists."""
    headers = {"Authorization": f"Bearer {at.key}"} if at.key else {}
    async with ApiClient(at.url, headers=headers) as wire:
        return names_in(await wire.get("/models"))
