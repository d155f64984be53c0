"""Set up Ollama, or explain what is missing."""

import os

from openkoi_cli.setting_names import DEFAULT_MODEL
from openkoi_hookspecs import Koi, NoProviderError, ProviderUnavailableError

from .ollama import DEFAULT_MODEL_NAME, NAME, VARIABLE, best_model, explain_bad_host
from .provider_models import list_models
from .terminal import print_line

LIST_TIMEOUT_SECONDS = 10.0  # estimate: a server that is just starting
NO_MODELS = f"""Ollama is running but has no models.
  Run: ollama pull {DEFAULT_MODEL_NAME}
  Then try again."""
NOT_RUNNING = """Ollama not detected at {place}.
  Install: https://ollama.com/download
  Then: ollama serve && ollama pull {model}"""


async def use_ollama(koi: Koi) -> None:
    """Use Ollama's best model; raise NoProviderError with advice."""
    if wrong := explain_bad_host(os.environ.get(VARIABLE, "")):
        raise NoProviderError(wrong)
    try:
        names = await list_models(koi, NAME, LIST_TIMEOUT_SECONDS)
    except (ProviderUnavailableError, TimeoutError):
        raise NoProviderError(NOT_RUNNING.format(place=displayed_address(), model=DEFAULT_MODEL_NAME)) from None
    if not names:
        raise NoProviderError(NO_MODELS)
    best = best_model(names)
    koi.set_setting(DEFAULT_MODEL, f"{NAME}/{best}")
    print_line(f"  Found Ollama with {len(names)} model{'' if len(names) == 1 else 's'}. Using: {best}\n")


def displayed_address() -> str:
    """Return the server's address without a login."""
    return os.environ.get(VARIABLE, "").rpartition("@")[2] or "localhost:11434"
