"""Add advice to Ollama's errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from openkoi_hookspecs import ProviderError, ProviderUnavailableError, RequestRejectedError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

UNREACHABLE = lazy_pattern(r"\S+ could not be reached \(")
TOO_LONG = lazy_pattern(
    r"exceed_context_size|longer than the context|exceed(s|ed)? the (available |maximum |max )?context"
    r"|exceed(s|ed)? max(imum)? context|context length exceeded|prompt (is )?too long",
    re.IGNORECASE,
)
TOO_LARGE = 413
NO_SUCH_MODEL = lazy_pattern(r"\bmodel ['\"].+['\"] not found", re.IGNORECASE)
WITHOUT_ANSWER = lazy_pattern(
    r"could not be reached|ended its response early|speaks? TLS|certificate|within|sent no new"
)
WRAPPED_MESSAGE = lazy_pattern(r'\{"error":.*"message": ?"([^"]*)".*\}')
PERMANENT_ERRORS = (
    (NO_SUCH_MODEL, "Run `ollama pull {model}`."),
    (
        lazy_pattern(r"does not support tools", re.IGNORECASE),
        "{model} does not support tools. Choose another model: `ollama show NAME` lists a model's capabilities.",
    ),
    (
        lazy_pattern(r"does not support (chat|generate)", re.IGNORECASE),
        "{model} does not generate text. Choose another model: `ollama show NAME` lists a model's capabilities.",
    ),
    (lazy_pattern(r"\(401\): unauthorized"), "Run `ollama signin`, or set OLLAMA_API_KEY."),
    (
        lazy_pattern(r"requires more system memory|out of memory", re.IGNORECASE),
        "Choose a smaller model, or a smaller context window with num_ctx.",
    ),
)


def explain_error(error: ProviderError, model: str) -> ProviderError:
    """Return the error with advice, as the type that fits it, with its status."""
    explained = add_advice(error, model)
    explained.status = error.status
    return explained


def add_advice(error: ProviderError, model: str) -> ProviderError:
    """Return the error with advice, or the error itself if there is none."""
    message = str(error)
    if UNREACHABLE.match(message):
        return ProviderUnavailableError(f"{message} Is Ollama running? Start it with `ollama serve`.")
    if TOO_LONG.search(message):
        return RequestRejectedError(WRAPPED_MESSAGE.sub(r"\1", message), context_overflow=True)
    for words, advice in PERMANENT_ERRORS:
        if words.search(message):
            return RequestRejectedError(f"{message} {advice.format(model=model)}")
    return error


def is_window_too_small(error: ProviderError) -> bool:
    """Return whether a larger context window may help; a proxy's limit on bytes is something else."""
    return isinstance(error, RequestRejectedError) and error.context_overflow and error.status != TOO_LARGE


def is_unsupported_endpoint(error: ProviderError) -> bool:
    """Return whether the server does not support this endpoint: it answers, and not with a missing model.

    Compatible servers answer with all kinds of statuses, and with web pages; the actual problem with a server shows
    when a response is requested.
    """
    return not (WITHOUT_ANSWER.search(str(error)) or NO_SUCH_MODEL.search(str(error)))


@contextmanager
def explain_errors(model: str) -> Iterator[None]:
    """Add advice to the errors raised inside the block."""
    try:
        yield
    except ProviderError as error:
        raise explain_error(error, model) from None
