"""A provider with a key was picked: ask for it, try it, save it."""

import os

from openkoi_hookspecs import (
    ConfigError,
    Koi,
    KoiError,
    NoProviderError,
    ProviderInfo,
    RequestRejectedError,
)
from openkoi_settings.keys import DEFAULT_MODEL

from .options import title_of
from .providers import models_of
from .terminal import SetupTerminal, say
from .tokens import one_word

SECONDS = 10.0
TRIES = 2
REFUSED = "(401)"
CHOSEN = "OPENKOI_MODEL"


async def use_key(koi: Koi, person: SetupTerminal, offer: ProviderInfo) -> None:
    """Save a key and use the provider's model: the one that is the default already, if that is one of its own."""
    key = await ask_valid_key(koi, person, offer)
    say(f"  Saved to {koi.save_key(offer.provider, key)}")
    model = await model_in_use(koi, offer.provider)
    if not model:
        koi.set_setting(DEFAULT_MODEL.name, f"{offer.provider}/{offer.model}")
    say(f"  Using: {model or offer.model}\n")
    if is_key_hidden(offer):
        say(f"  ! {offer.variable} is set here and is used instead of the saved key. Unset it, or set it again.")
    if not model and os.environ.get(CHOSEN):
        say(f"  ! {CHOSEN} is set here and names the model that is used instead. Unset it, or set it again.")


async def model_in_use(koi: Koi, provider: str) -> str:
    """The default model, if it is one of this provider's; nothing when it is not, or not known."""
    try:
        name = koi.setting(DEFAULT_MODEL.name, str, "")
        vendor, _, model = (await koi.resolve_model(name) if name else "").partition("/")
    except ConfigError:
        return ""
    return model if vendor == provider else ""


async def ask_valid_key(koi: Koi, person: SetupTerminal, offer: ProviderInfo) -> str:
    """Return a key that its provider accepts; ask twice at most."""
    for _ in range(TRIES):
        key = (await person.secret(f"Paste your {title_of(offer)} API key: ")).strip()
        wrong = unlike_a_key(key) or await refusal(koi, offer, key)
        if not wrong:
            return key
        say(f"  ! {wrong}")
    raise NoProviderError(
        f"{title_of(offer)} has no key that works, and nothing was saved. With a good one: openkoi init"
    )


def unlike_a_key(key: str) -> str:
    """Why this cannot be a key, without repeating it; nothing when it can."""
    if not key:
        return "Nothing was pasted."
    return "" if one_word(key) else "That is not a key: a key is one word of letters, digits and signs."


async def refusal(koi: Koi, offer: ProviderInfo, key: str) -> str:
    """Try a key; return what is said when it is refused. One that cannot be tried is believed in, and that is said."""
    if is_key_hidden(offer):
        return ""
    koi.use_key(offer.provider, key)
    try:
        await models_of(koi, offer.provider, SECONDS)
    except TimeoutError:
        say(f"  ! The key could not be tried: no answer within {SECONDS:g} s.")
    except KoiError as error:
        told = str(error).replace(key, "***")
        if isinstance(error, RequestRejectedError) and REFUSED in told:
            return told
        say(f"  ! The key could not be tried: {told}")
    return ""


def is_key_hidden(offer: ProviderInfo) -> bool:
    """Whether a key in the environment hides the one that is saved."""
    return bool(offer.variable and os.environ.get(offer.variable))
