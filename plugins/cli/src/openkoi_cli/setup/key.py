"""Set up a provider with a key: ask for it, try it, save it."""

import os

from openkoi_cli.setting_names import DEFAULT_MODEL
from openkoi_hookspecs import (
    ConfigError,
    Koi,
    KoiError,
    NoProviderError,
    ProviderInfo,
    RequestRejectedError,
)

from .options import provider_title
from .provider_models import list_models
from .terminal import SetupTerminal, print_line
from .tokens import parse_token

TRY_TIMEOUT_SECONDS = 10.0  # estimate: a slow network
MAX_TRIES = 2
UNAUTHORIZED = 401
MODEL_VARIABLE = "OPENKOI_MODEL"


async def use_key(koi: Koi, prompt: SetupTerminal, offer: ProviderInfo) -> None:
    """Save a key and use the provider's model, unless the default model is already one of the provider's."""
    key = await ask_valid_key(koi, prompt, offer)
    print_line(f"  Saved to {koi.save_key(offer.provider, key)}")
    model = await model_in_use(koi, offer.provider)
    if not model:
        koi.set_setting(DEFAULT_MODEL, f"{offer.provider}/{offer.model}")
    print_line(f"  Using: {model or offer.model}\n")
    if is_key_hidden(offer):
        print_line(f"  ! {offer.variable} is set and overrides the saved key. Unset or update it.")
    if not model and os.environ.get(MODEL_VARIABLE):
        print_line(f"  ! {MODEL_VARIABLE} is set and overrides this model. Unset or update it.")


async def model_in_use(koi: Koi, provider: str) -> str:
    """Return the default model, if it is one of this provider's."""
    try:
        name = koi.setting(DEFAULT_MODEL, str, "")
        vendor, _, model = (await koi.resolve_model(name) if name else "").partition("/")
    except ConfigError:
        return ""
    return model if vendor == provider else ""


async def ask_valid_key(koi: Koi, prompt: SetupTerminal, offer: ProviderInfo) -> str:
    """Return a key that its provider accepts; ask at most twice."""
    for _ in range(MAX_TRIES):
        key = (await prompt.secret(f"Paste your {provider_title(offer)} API key: ")).strip()
        wrong = explain_bad_key(key) or await try_key(koi, offer, key)
        if not wrong:
            return key
        print_line(f"  ! {wrong}")
    raise NoProviderError(
        f"{provider_title(offer)} rejected the key; nothing was saved. Run `openkoi init` to try again."
    )


def explain_bad_key(key: str) -> str:
    """Return why a text cannot be a key, without repeating it; empty if it can."""
    if not key:
        return "No key entered."
    return "" if parse_token(key) else "That is not a key: a key is a single word."


async def try_key(koi: Koi, offer: ProviderInfo, key: str) -> str:
    """Try a key; return the error if it is rejected. A key that cannot be tried is accepted with a warning."""
    if is_key_hidden(offer):
        return ""
    koi.use_key(offer.provider, key)
    try:
        await list_models(koi, offer.provider, TRY_TIMEOUT_SECONDS)
    except TimeoutError:
        print_line(f"  ! The key could not be checked: no answer within {TRY_TIMEOUT_SECONDS:g} s.")
    except KoiError as error:
        message = str(error).replace(key, "***")
        if isinstance(error, RequestRejectedError) and error.status == UNAUTHORIZED:
            return message
        print_line(f"  ! The key could not be checked: {message}")
    return ""


def is_key_hidden(offer: ProviderInfo) -> bool:
    """Return whether a key in the environment overrides the saved one."""
    return bool(offer.variable and os.environ.get(offer.variable))
