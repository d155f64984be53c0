"""Models on this machine: whether Ollama runs, and which of its models is best. Knows names; knows no protocol."""

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from openkoi_hookspecs import Koi, KoiError

from .providers import models_of

NAME = "ollama"
VARIABLE = "OLLAMA_HOST"
PREFERRED = ("qwen2.5-coder", "codestral", "deepseek-coder-v2", "llama3.3", "llama3.1", "mistral", "gemma2")
USUAL = "llama3.3"
SECONDS = 0.5
TRIES = 2


def best_model(names: Sequence[str]) -> str:
    """The most capable of these, by the order in which they are preferred; else the first; else the usual one."""
    ranked = (name for wanted in PREFERRED for name in names if wanted in name)
    return next(ranked, next(iter(names), USUAL))


def explain_bad_host(host: str) -> str:
    """Return an error about an invalid host without repeating it, or an empty string."""
    if places(host.strip(" \t\r\n\"'")):
        return ""
    return f"{VARIABLE} is not an address, so Ollama was not looked for. Set it like 127.0.0.1:11434, or unset it."


def places(host: str) -> bool:
    """Whether this can be a host, a port, both, or a web address."""
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
    for _ in range(TRIES):
        try:
            return await models_of(koi, NAME, SECONDS)
        except TimeoutError:
            continue
        except KoiError:
            return ()
    return ()
