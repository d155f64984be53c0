"""Find out whether Ollama is running, and choose its best model."""

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from openkoi_hookspecs import Koi, KoiError

from .provider_models import list_models

NAME = "ollama"
VARIABLE = "OLLAMA_HOST"
PREFERRED = ("qwen2.5-coder", "codestral", "deepseek-coder-v2", "llama3.3", "llama3.1", "mistral", "gemma2")
DEFAULT_MODEL_NAME = "llama3.3"
PROBE_TIMEOUT_SECONDS = 0.5  # a local server answers in milliseconds; every start without a model waits this long
MAX_TRIES = 2


def best_model(names: Sequence[str]) -> str:
    """Return the first match of the preferred models, else the first model, else the default."""
    ranked = (name for wanted in PREFERRED for name in names if wanted in name)
    return next(ranked, next(iter(names), DEFAULT_MODEL_NAME))


def explain_bad_host(host: str) -> str:
    """Return an error about an invalid host without repeating it, or an empty string."""
    if is_host(host.strip(" \t\r\n\"'")):
        return ""
    return (
        f"{VARIABLE} is not a valid address, so Ollama was skipped. Set it to HOST:PORT (127.0.0.1:11434), or unset it."
    )


def is_host(host: str) -> bool:
    """Return whether a text is a host, a port, both, or a URL."""
    place = host.rpartition("://")[2].partition("/")[0].rpartition("@")[2]
    try:
        ip_address(place)
    except ValueError:
        pass
    else:
        return True
    try:
        port = urlsplit(f"//:{place}" if place.isdecimal() else f"//{place}").port
    except ValueError:
        return False
    return port != 0 and place.isprintable() and " " not in place


async def probe(koi: Koi) -> Sequence[str]:
    """Return the models of a running server, or none; the first try may be slow."""
    for _ in range(MAX_TRIES):
        try:
            return await list_models(koi, NAME, PROBE_TIMEOUT_SECONDS)
        except TimeoutError:
            continue
        except KoiError:
            return ()
    return ()
