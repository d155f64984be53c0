"""What to do about an error of Ollama's, told by its own words. Knows words and commands; knows no connection."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_hookspecs import ProviderError, ProviderUnavailableError, RequestRejectedError

UNREACHABLE = re.compile(r"\S+ could not be reached \(")
TOO_LONG = re.compile(
    r"exceed_context_size|longer than the context|exceed(s|ed)? the (available |maximum |max )?context"
    r"|exceed(s|ed)? max(imum)? context|context length exceeded|prompt (is )?too long",
    re.IGNORECASE,
)
TOO_LARGE = "(413)"
NO_SUCH_MODEL = re.compile(r"\bmodel ['\"].+['\"] not found", re.IGNORECASE)
NOT_OFFERED = re.compile(r"\(404\)|answered (?:404|405|501)\b")
WRAPPED = re.compile(r'\{"error":.*"message": ?"([^"]*)".*\}')
WILL_NOT_PASS = (
    (NO_SUCH_MODEL, "Install it with: ollama pull {model}"),
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
        return ProviderUnavailableError(f"{said} Is Ollama running there? Start it with: ollama serve")
    if TOO_LONG.search(said):
        return RequestRejectedError(WRAPPED.sub(r"\1", said), context_overflow=True)
    for words, advice in WILL_NOT_PASS:
        if words.search(said):
            return RequestRejectedError(f"{said} {advice.format(model=model)}")
    return error


def about_window(error: ProviderError) -> bool:
    """Whether a larger window may help: Ollama names the context, and a proxy's limit of bytes is something else."""
    return isinstance(error, RequestRejectedError) and error.context_overflow and TOO_LARGE not in str(error)


def not_offered(error: ProviderError) -> bool:
    """Whether a server does not know this request, as many that are compatible with Ollama do not know all of them."""
    return bool(NOT_OFFERED.search(str(error))) and not NO_SUCH_MODEL.search(str(error))


@contextmanager
def explaining(model: str) -> Iterator[None]:
    """Explain what goes wrong within."""
    try:
        yield
    except ProviderError as error:
        raise explained(error, model) from None
