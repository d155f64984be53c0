"""Convert HTTP statuses and error bodies to errors: temporary, such as a rate limit (429), or permanent."""

from collections.abc import Mapping

from openkoi_hookspecs import ProviderError

from .context_overflow import is_context_overflow
from .error_body import QUOTA_CODES, ErrorBody, parse_error_body, parse_json_or_none
from .other_scheme import TLS, TLS_WANTED
from .rate_limit_wait import parse_retry_headers, parse_retry_message
from .server import Server, make_sentence, one_line
from .wrong_server import LOGIN_ADVICE, describe_redirect

PAYLOAD_TOO_LARGE = 413
NETWORK_LOGIN_REQUIRED = 511
UNCERTAIN_STATUSES = frozenset({500, 502, 504})  # of a server that may have done what it was asked for before it failed
TEMPORARY_STATUSES = frozenset({408, 409, 425, 429})
PERMANENT_CODES = QUOTA_CODES | {
    "authentication_error",
    "context_length_exceeded",
    "invalid_api_key",
    "invalid_request_error",
    "model_not_found",
    "not_found_error",
    "permission_error",
}
STATUS_MESSAGES = {
    400: ("rejected the request (400)", ""),
    401: ("rejected the key (401)", "Check the key."),
    402: ("requires payment (402)", "Check the account."),
    403: ("denied access (403)", "Check the key and its permissions."),
    404: ("returned not found (404)", "Check the model's name and the base URL."),
    413: (
        "rejected the request as too large (413)",
        "Shorten the task, or choose a model with a larger context window.",
    ),
    429: ("rate limit exceeded (429)", ""),
}
APP_MESSAGES = {
    **STATUS_MESSAGES,
    401: ("rejected the token (401)", "Check the token."),
    403: ("denied access (403)", "Check the token and its permissions."),
    404: ("returned not found (404)", "It may have been deleted. If all calls fail, check the base URL."),
    413: ("rejected the request as too large (413)", "Send a shorter text or a smaller file."),
}


def error_for_status(
    server: Server,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    messages: Mapping[int, tuple[str, str]] = STATUS_MESSAGES,
) -> ProviderError:
    """Return the error for a status and its body; ``messages`` contains descriptions and advice, by status."""
    details = parse_error_body(parse_json_or_none(body))
    message = details.message or plain_text_of_body(body, headers)
    if status < 400:
        return server.wrong_server(describe_redirect(status, headers))
    if status == NETWORK_LOGIN_REQUIRED:
        return server.wrong_server(f"requires a network login ({status}). {LOGIN_ADVICE}")
    again = parse_retry_headers(headers)
    again = retry_delay_of(details, message) if again is None else again
    if details.codes & QUOTA_CODES or (status == 429 and details.is_quota_exhausted(again)):
        return server.rejected_error(
            make_sentence(f"reports that the quota is exhausted ({status})", message, "Check the account.")
        )
    if status == 400 and any(words.encode() in body for words in TLS_WANTED):
        return server.wrong_server(TLS)
    happened, advice = messages.get(status, (f"returned status {status}", ""))
    what = make_sentence(happened, message, advice)
    if status == PAYLOAD_TOO_LARGE or is_context_overflow(details.searchable_text or message, busy=status == 429):
        return server.rejected_error(what, context_overflow=True)
    if status in TEMPORARY_STATUSES or status >= 500:
        return server.unavailable(what, retry_after=again, uncertain=status in UNCERTAIN_STATUSES)
    return server.rejected_error(what)


def error_from_body(server: Server, answer: object) -> ProviderError:
    """Return the error for an error body that came with status 200, whole or in a stream."""
    details = parse_error_body(answer)
    what = make_sentence("returned an error", details.message)
    if details.status == PAYLOAD_TOO_LARGE or is_context_overflow(details.searchable_text):
        return server.rejected_error(what, context_overflow=True)
    if details.codes & PERMANENT_CODES:
        return server.rejected_error(what)
    if 300 <= details.status < 500 and details.status not in TEMPORARY_STATUSES:
        return server.rejected_error(what)
    return server.unavailable(what, retry_after=retry_delay_of(details, details.message))


def retry_delay_of(details: ErrorBody, message: str) -> float | None:
    """Return the retry delay from the error's details, or from its message."""
    return parse_retry_message(message) if details.retry_after is None else details.retry_after


def plain_text_of_body(body: bytes, headers: Mapping[str, str]) -> str:
    """Return a body that is neither JSON nor HTML as one line."""
    text = body.decode(errors="replace").strip()
    if text.startswith(("<", "{", "[")) or "html" in headers.get("content-type", ""):
        return ""
    return one_line(text)
