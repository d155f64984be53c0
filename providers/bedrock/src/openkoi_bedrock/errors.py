"""Interpret Bedrock's error messages: context overflow, expired credentials, model failures."""

import re

from openkoi_hookspecs import Json, ProviderError, ProviderUnavailableError, RequestRejectedError, WrongServerError
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import Server
from openkoi_http.server import one_line

CONTEXT_OVERFLOW = lazy_pattern(
    r"(input|prompt) is too long|too many input tokens|context (length|limit|window)|maximum number of (input )?tokens",
    re.IGNORECASE,
)
ADVICE = (
    (r"token\b.* expired|ExpiredToken", "Log in again (aws sso login), or set credentials that have not expired."),
    (
        r"security token .* invalid",
        "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN from the same credentials.",
    ),
    (r"signature", "Check AWS_SECRET_ACCESS_KEY and this machine's clock."),
    (r"API key", "Check AWS_BEARER_TOKEN_BEDROCK."),
    (r"not authorized to perform", "Request the permission bedrock:InvokeModelWithResponseStream."),
    (r"\(403\)", "Request access to the model in this account and region, or check the credentials."),
    (r"on-demand throughput", "Use the id of an inference profile (us. or eu. followed by the model's id)."),
)
MODEL_ERROR = "returned status 424"
PERMANENT_ERROR_TYPES = frozenset(
    {"validationException", "accessDeniedException", "resourceNotFoundException", "serviceQuotaExceededException"}
)


def explain_error(error: ProviderError) -> ProviderError:
    """Return the error with advice, as the type that fits it."""
    text = str(error)
    if not isinstance(error, RequestRejectedError):
        return error
    if MODEL_ERROR in text:
        return ProviderUnavailableError(text)
    if error.context_overflow or isinstance(error, WrongServerError):
        return error
    if CONTEXT_OVERFLOW.search(text):
        return RequestRejectedError(text, context_overflow=True)
    advice = next((advice for words, advice in ADVICE if re.search(words, text, re.IGNORECASE)), "")
    return RequestRejectedError(f"{text} {advice}".rstrip())


def stream_error(server: Server, kind: str, message: Json) -> ProviderError:
    """Return the error for an exception event in a stream."""
    why = one_line(message).rstrip(".") if isinstance(message, str) else "no reason given"
    what = f"ended its response early ({kind}): {why}."
    if kind in PERMANENT_ERROR_TYPES:
        return server.rejected_error(what)
    return server.unavailable(what)
