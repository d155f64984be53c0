"""What to do about an error of Ollama's, told by its own words. Knows words and commands; knows no connection."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_hookspecs import ProviderError, Refused, Unavailable

UNREACHABLE = re.compile(r"\S+ could not be reached \(")
TOO_LONG = re.compile(
    r"exceed_context_size|longer than the context|exceed(s|ed)? the (available |maximum |max )?context"
    r"|exceed(s|ed)? max(imum)? context|context length exceeded|prompt (is )?too long",
    re.IGNORECASE,
)
WRAPPED = re.compile(r'\{"error":.*"message": ?"([^"]*)".*\}')
WILL_NOT_PASS = (
    (re.compile(r"\bmodel ['\"].+['\"] not found", re.IGNORECASE), "Install it with: ollama pull {model}"),
    (
        re.compile(r"does not support tools", re.IGNORECASE),
        "{model} cannot call tools. Choose a model that can: `ollama show NAME` lists what one is capable of.",
    ),
    (
        re.compile(r"does not support (chat|generate)", re.IGNORECASE),
        "{model} cannot be talked to. Choose another: `ollama show NAME` lists what one is capable of.",
    ),
    (re.compile(r"\(401\): unauthorized"), "Sign in with: ollama signin; or set OLLAMA_API_KEY."),
    (
        re.compile(r"requires more system memory|out of memory", re.IGNORECASE),
        "Choose a smaller model, or give it a smaller window with num_ctx.",
    ),
)


def explained(error: ProviderError, model: str) -> ProviderError:
    """Return the error with what to do about it, and of the kind that it is."""
    said = str(error)
    if UNREACHABLE.match(said):
        return Unavailable(f"{said} Is Ollama running there? Start it with: ollama serve")
    if TOO_LONG.search(said):
        return Refused(WRAPPED.sub(r"\1", said), overflow=True)
    for words, advice in WILL_NOT_PASS:
        if words.search(said):
            return Refused(f"{said} {advice.format(model=model)}")
    return error


@contextmanager
def explaining(model: str) -> Iterator[None]:
    """Explain what goes wrong within."""
    try:
        yield
    except ProviderError as error:
        raise explained(error, model) from None
