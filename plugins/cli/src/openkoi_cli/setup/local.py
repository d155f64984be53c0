"""Ollama was picked: use what it has, or say what is missing."""

import os

from openkoi_hookspecs import Koi, NoProviderError, ProviderUnavailableError
from openkoi_settings.keys import DEFAULT_MODEL

from .ollama import NAME, USUAL, VARIABLE, best_model, explain_bad_host
from .providers import models_of
from .terminal import say

SECONDS = 10.0
NO_MODELS = f"""Ollama is running but has no models.
  Run: ollama pull {USUAL}
  Then try again."""
NOT_RUNNING = """Ollama not detected at {place}.
  Install: https://ollama.com/download
  Then: ollama serve && ollama pull {model}"""


async def use_ollama(koi: Koi) -> None:
    """Look again, since it may have been started; raise NoProviderError with advice."""
    if wrong := explain_bad_host(os.environ.get(VARIABLE, "")):
        raise NoProviderError(wrong)
    try:
        names = await models_of(koi, NAME, SECONDS)
    except (ProviderUnavailableError, TimeoutError):
        raise NoProviderError(NOT_RUNNING.format(place=place(), model=USUAL)) from None
    if not names:
        raise NoProviderError(NO_MODELS)
    best = best_model(names)
    koi.set_setting(DEFAULT_MODEL.name, f"{NAME}/{best}")
    say(f"  Found Ollama with {len(names)} model{'' if len(names) == 1 else 's'}. Using: {best}\n")


def place() -> str:
    """Where it was looked for, without a login in the address."""
    return os.environ.get(VARIABLE, "").rpartition("@")[2] or "localhost:11434"
