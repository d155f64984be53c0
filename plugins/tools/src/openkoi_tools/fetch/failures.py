"""Describe network errors, without text from the server."""

from collections.abc import Iterator
from http import HTTPStatus
from ssl import SSLCertVerificationError, SSLError

from .address import PageAddress

HINTS = {
    401: "The page requires a login, and fetch_url never sends credentials.",
    403: "Access to this page is denied.",
    404: "Check the address, or start from a page that links to it.",
    410: "The page was removed permanently.",
    429: "Rate limited; wait before you try again.",
}


def explain_status(address: PageAddress, status: int) -> str:
    """Return why the page is unavailable, by the response's status."""
    later = "Try again later." if status >= 500 else "Check the address, or use another page."
    return f"{address.authority} answered {format_status(status)} for {address.printable}. {HINTS.get(status, later)}"


def format_status(status: int) -> str:
    """Return a status with its name, if any."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def explain_error(address: PageAddress, error: Exception) -> str:
    """Explain why an exchange failed."""
    from httpx2 import ConnectError, ConnectTimeout, DecodingError

    host = address.authority
    for cause in walk_causes(error):
        if isinstance(cause, SSLCertVerificationError):
            return f"{host} has an invalid certificate ({cause.verify_message}); nothing was sent."
        if isinstance(cause, SSLError):
            return f"No secure connection to {host} ({cause.reason or 'TLS failed'}); nothing was sent."
    if isinstance(error, ConnectError | ConnectTimeout):
        why = "no answer" if isinstance(error, ConnectTimeout) else str(error) or "refused"
        return f"{host} could not be reached ({why}). Pages are fetched directly; proxies are not used."
    if isinstance(error, DecodingError):
        return f"{host} sent a compressed page that cannot be decompressed."
    return f"{host} ended its response early ({type(error).__name__})."


def walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
