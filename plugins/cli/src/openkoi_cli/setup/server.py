"""Set up an OpenAI-compatible server: ask for its address, and for a key if it requires one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from openkoi_cli.setting_names import DEFAULT_MODEL
from openkoi_hookspecs import (
    ConfigError,
    Koi,
    KoiError,
    NoProviderError,
    ProviderError,
    RequestRejectedError,
)
from openkoi_http import ApiClient

from .addresses import ServerAddress, candidate_urls, parse_address, parse_model_names
from .key import MAX_TRIES, UNAUTHORIZED, explain_bad_key
from .options import CUSTOM
from .terminal import SetupTerminal, print_line

LIST_TIMEOUT_SECONDS = 10.0  # estimate: a server that is just starting
KEY_STATUSES = (UNAUTHORIZED, 403)
NOT_FOUND = 404


async def use_server(koi: Koi, prompt: SetupTerminal) -> None:
    """Use the first model that a server lists."""
    at, names = await ask_reachable_server(koi, prompt)
    save_server(koi, at, f"{CUSTOM}/{names[0]}")
    print_line(f"  Using: {names[0]}\n")


def save_server(koi: Koi, at: ServerAddress, model: str) -> None:
    """Save the server; a key saved for another server is removed."""
    if at.key:
        print_line(f"  Saved to {koi.save_key(CUSTOM, at.key)}")
    elif CUSTOM in koi.saved_keys():
        koi.save_key(CUSTOM, "")
    print_line(f"  Saved to {koi.set_setting(f'providers.{CUSTOM}.base_url', at.url)}")
    koi.set_setting(DEFAULT_MODEL, model)


async def ask_reachable_server(koi: Koi, prompt: SetupTerminal) -> tuple[ServerAddress, Sequence[str]]:
    """Return a server that lists models, and the models; ask at most twice."""
    for _ in range(MAX_TRIES):
        try:
            return await list_with_key(koi, prompt, parse_address(await prompt.address("URL [key]: ")))
        except KoiError as error:
            print_line(f"  ! {error}")
    raise NoProviderError("No OpenAI-compatible server responded; nothing was saved. Run `openkoi init` to try again.")


async def list_with_key(koi: Koi, prompt: SetupTerminal, given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """Return the server's models, asking for a key if required; raise when that is rejected too."""
    if given.key:
        check_key(given.key)
    try:
        return await locate_models(koi, given)
    except RequestRejectedError as error:
        if not needs_key(error):
            raise
        print_line(f"  ! {error}" if given.key else f"  {given.printable} requires a key.")
    key = (await prompt.secret("Paste the API key for this server: ")).strip()
    check_key(key)
    return await locate_models(koi, replace(given, key=key))


def check_key(key: str) -> None:
    """Raise ConfigError for a key that cannot be sent."""
    if wrong := explain_bad_key(key):
        raise ConfigError(wrong)


def needs_key(error: ProviderError) -> bool:
    """Return whether a server rejects requests without a valid key."""
    return error.status in KEY_STATUSES


async def locate_models(koi: Koi, given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """Return the URL below an address that lists models, and the models.

    Raises NoProviderError after a timeout.
    """
    if given.key:
        koi.use_key(CUSTOM, given.key)
    try:
        async with asyncio.timeout(LIST_TIMEOUT_SECONDS):
            return await find_first_list(given)
    except TimeoutError:
        raise NoProviderError(
            f"{given.printable} did not answer within {LIST_TIMEOUT_SECONDS:g} s. Check the address."
        ) from None


async def find_first_list(given: ServerAddress) -> tuple[ServerAddress, Sequence[str]]:
    """Return the first list with models; raise the error of the most likely address."""
    errors: list[ProviderError] = []
    for at in (replace(given, url=url) for url in candidate_urls(given.url)):
        try:
            if names := await fetch_models(at):
                return at, names
            errors.append(NoProviderError(f"{at.printable} lists no models. Load one on the server first."))
        except ProviderError as error:
            if needs_key(error):
                raise
            errors.append(error)
    raise no_models_error(given) if all(error.status == NOT_FOUND for error in errors) else errors[0]


def no_models_error(given: ServerAddress) -> NoProviderError:
    """Return the error for a server without a list of models."""
    tried = " and ".join(f"{replace(given, url=url).printable}/models" for url in candidate_urls(given.url))
    return NoProviderError(f"No list of models at {tried} (404). Most addresses end in /v1; check the path.")


async def fetch_models(at: ServerAddress) -> Sequence[str]:
    """Return the models that a server lists."""
    headers = {"Authorization": f"Bearer {at.key}"} if at.key else {}
    async with ApiClient(at.url, headers=headers) as wire:
        return parse_model_names(await wire.get("/models"))
