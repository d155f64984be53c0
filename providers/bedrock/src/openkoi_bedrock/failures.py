"""What Bedrock's errors mean beyond their status: too long a prompt, keys that ran out, a model that stumbled.

Knows the vendor's words; opens no connection.
"""

import re

from openkoi_hookspecs import Json, ProviderError, ProviderUnavailableError, RequestRejectedError, WrongServerError
from openkoi_wire import Server
from openkoi_wire.server import one_line

OVERFLOW = re.compile(
    r"(input|prompt) is too long|too many input tokens|context (length|limit|window)|maximum number of (input )?tokens",
    re.IGNORECASE,
)
ADVICE = (
    (r"token\b.* expired|ExpiredToken", "Log in again (aws sso login), or set credentials that have not run out."),
    (
        r"security token .* invalid",
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN must belong together.",
    ),
    (r"signature", "Check AWS_SECRET_ACCESS_KEY, and this machine's clock."),
    (r"API key", "Check AWS_BEARER_TOKEN_BEDROCK."),
    (r"not authorized to perform", "Ask for the permission bedrock:InvokeModelWithResponseStream."),
    (r"\(403\)", "Ask for access to the model in this account and region, or check the credentials."),
    (r"on-demand throughput", "Ask for the model by the id of an inference profile, as us. or eu. and its name."),
)
MODEL_STUMBLED = "answered 424"
WILL_NOT_PASS = frozenset(
    {"validationException", "accessDeniedException", "resourceNotFoundException", "serviceQuotaExceededException"}
)


def explained(error: ProviderError) -> ProviderError:
    """Say what to do about a refusal, or that it is none."""
    said = str(error)
    if not isinstance(error, RequestRejectedError):
        return error
    if MODEL_STUMBLED in said:
        return ProviderUnavailableError(said)
    if error.context_overflow or isinstance(error, WrongServerError):
        return error
    if OVERFLOW.search(said):
        return RequestRejectedError(said, context_overflow=True)
    advice = next((advice for words, advice in ADVICE if re.search(words, said, re.IGNORECASE)), "")
    return RequestRejectedError(f"{said} {advice}".rstrip())


def in_mid_stream(server: Server, kind: str, message: Json) -> ProviderError:
    """Make the error for an exception that ended a stream."""
    why = one_line(message).rstrip(".") if isinstance(message, str) else "it does not say why"
    what = f"ended its response early ({kind}): {why}."
    if kind in WILL_NOT_PASS:
        return server.refused(what)
    return server.unavailable(what)
