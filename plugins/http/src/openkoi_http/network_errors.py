"""Describe network errors, such as a stream that breaks off, including those of httpx2 if it is loaded."""

import sys


class NetworkError(Exception):
    """The connection broke, or the response is not HTTP."""


class UnreachableError(NetworkError):
    """No connection could be opened."""


def network_errors() -> tuple[type[Exception], ...]:
    """Return the classes of all errors of the network."""
    httpx2 = sys.modules.get("httpx2")
    return (NetworkError, httpx2.HTTPError, httpx2.InvalidURL) if httpx2 else (NetworkError,)


def connection_errors() -> tuple[type[Exception], ...]:
    """Return the classes of errors after which a server may speak another scheme."""
    httpx2 = sys.modules.get("httpx2")
    others = (httpx2.ConnectError, httpx2.ReadError, httpx2.RemoteProtocolError) if httpx2 else ()
    return (NetworkError, *others)


def is_unreachable(error: Exception) -> bool:
    """Return whether no connection could be opened."""
    httpx2 = sys.modules.get("httpx2")
    return isinstance(error, (UnreachableError, *((httpx2.ConnectError, httpx2.ConnectTimeout) if httpx2 else ())))


def cause_of(error: BaseException) -> str:
    """Return what happened, for the end of a sentence; errors of httpx2 often have no message."""
    return str(error) if isinstance(error, NetworkError) else f"{type(error).__name__}: {error}".rstrip(": ")
