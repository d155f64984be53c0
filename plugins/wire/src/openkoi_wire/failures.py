"""What a server's refusal means: it may pass (Unavailable), or it will not (Refused).

Knows the statuses; opens no connection.
"""

from collections.abc import Mapping

from openkoi_hookspecs import ProviderError

from .complaint import USED_UP, Complaint, complaint, document
from .overflow import overflows
from .retry import retry_after, said_in
from .server import Server, one_line, sentence
from .wrong_server import LOGIN, redirected

TOO_LARGE = 413
LOGIN_FIRST = 511
MAY_PASS = frozenset({408, 409, 425, 429})
WILL_NOT_PASS = USED_UP | {
    "authentication_error",
    "context_length_exceeded",
    "invalid_api_key",
    "invalid_request_error",
    "model_not_found",
    "not_found_error",
    "permission_error",
}
REASONS = {
    400: ("refused the request (400)", ""),
    401: ("refused the key (401)", "Check the key."),
    402: ("wants to be paid first (402)", "Check the account."),
    403: ("does not allow this (403)", "Check the key and what it may be used for."),
    404: ("does not know what was asked for (404)", "Check the model's name and the base URL."),
    413: ("refused the request as too large (413)", "Shorten the task, or choose a model that can read more."),
    429: ("rate limit exceeded (429)", ""),
}


def failure(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """Make the error for a status and its body."""
    said = complaint(document(body))
    message = said.message or plain(body, headers)
    if status < 400:
        return server.wrong(redirected(status, headers))
    if status == LOGIN_FIRST:
        return server.wrong(f"wants a login to the network first ({status}). {LOGIN}")
    again = retry_after(headers)
    again = promised(said, message) if again is None else again
    if said.codes & USED_UP or (status == 429 and said.used_up(again)):
        return server.refused(sentence(f"says that the quota is used up ({status})", message, "Check the account."))
    happened, advice = REASONS.get(status, (f"answered {status}", ""))
    what = sentence(happened, message, advice)
    if status == TOO_LARGE or overflows(said.words or message, busy=status == 429):
        return server.refused(what, context_overflow=True)
    if status in MAY_PASS or status >= 500:
        return server.unavailable(what, retry_after=again)
    return server.refused(what)


def reported(server: Server, answer: object) -> ProviderError:
    """Make the error for one that came with status 200, whole or in mid-stream."""
    said = complaint(answer)
    what = sentence("reported an error instead of an answer", said.message)
    if said.status == TOO_LARGE or overflows(said.words):
        return server.refused(what, context_overflow=True)
    if said.codes & WILL_NOT_PASS:
        return server.refused(what)
    if 300 <= said.status < 500 and said.status not in MAY_PASS:
        return server.refused(what)
    return server.unavailable(what, retry_after=promised(said, said.message))


def promised(said: Complaint, message: str) -> float | None:
    """When to come back, as the details of an error say it, or else its words."""
    return said_in(message) if said.retry_after is None else said.retry_after


def plain(body: bytes, headers: Mapping[str, str]) -> str:
    """Read a body that is neither JSON nor a web page as a sentence."""
    text = body.decode(errors="replace").strip()
    if text.startswith(("<", "{", "[")) or "html" in headers.get("content-type", ""):
        return ""
    return one_line(text)
