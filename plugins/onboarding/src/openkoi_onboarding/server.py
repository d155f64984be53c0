"""Another server was picked: ask where it is, and for a key only when it wants one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from openkoi_hookspecs import BadSetting, Discovered, Koi, NoProvider, ProviderError, Refused
from openkoi_wire import Wire

from .addresses import Address, address_in, bases, names_in
from .key import REFUSED, unlike_a_key
from .options import CUSTOM
from .providers import Lender
from .terminal import Terminal, say

SECONDS = 10.0


async def use_server(koi: Koi, person: Terminal) -> None:
    """Use the first model that a server lists."""
    given = address_in(await person.address("URL [key]: "))
    if not given.url:
        raise NoProvider("No address was given, and nothing was saved. For one: http://localhost:8080/v1")
    at, names = await reached(koi, person, given)
    if not names:
        raise NoProvider(f"{at.url} lists no models, and nothing was saved. Let it serve one, then: openkoi init")
    keep(koi, at, f"{CUSTOM}/{names[0]}")
    say(f"  Using: {names[0]}\n")


def keep(koi: Koi, at: Address, model: str) -> None:
    """Save where the server is; a key of another server is never shown to it."""
    if at.key:
        say(f"  Saved to {koi.save_key(CUSTOM, at.key)}")
    elif CUSTOM in koi.saved_keys():
        koi.save_key(CUSTOM, "")
    say(f"  Saved to {koi.configure(f'providers.{CUSTOM}.base_url', at.url)}")
    koi.configure("models.default", model)


async def reached(koi: Koi, person: Terminal, given: Address) -> tuple[Address, Sequence[str]]:
    """The server's models, with a key if it wants one; raises what it says when it refuses that one, too."""
    try:
        return await found(koi, given)
    except Refused as error:
        if REFUSED not in str(error):
            raise
        say(f"  ! {error}")
    key = (await person.secret("Paste the key of this server: ")).strip()
    if wrong := unlike_a_key(key):
        raise NoProvider(f"{wrong} Nothing was saved.")
    return await found(koi, replace(given, key=key))


async def found(koi: Koi, given: Address) -> tuple[Address, Sequence[str]]:
    """Where under an address the models are listed, and which they are."""
    if given.key and isinstance(koi, Lender):
        koi.lend_key(Discovered(CUSTOM, "", "typed", key=given.key))
    *others, last = [replace(given, url=url) for url in bases(given.url)]
    for at in others:
        try:
            return at, await listed(at)
        except (ProviderError, BadSetting) as error:
            if REFUSED in str(error):
                raise
    return last, await listed(last)


async def listed(at: Address) -> Sequence[str]:
    """The models that a server lists; raises NoProvider when it cannot be asked."""
    headers = {"Authorization": f"Bearer {at.key}"} if at.key else {}
    try:
        async with asyncio.timeout(SECONDS), Wire(at.url, headers=headers) as wire:
            return names_in(await wire.get("/models"))
    except TimeoutError:
        raise NoProvider(f"{at.url} did not answer within {SECONDS:g} s. Is the address right?") from None
