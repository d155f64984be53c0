"""Interpret Anthropic's error messages."""

from openkoi_hookspecs import Json, ProviderError, RequestRejectedError
from openkoi_http import Server, error_from_body

PERMANENT_ERROR_TYPES = frozenset({"billing_error", "request_too_large"})
TOO_LONG = ("prompt is too long", "exceed context limit")


def error_from_frame(server: Server, frame: dict[str, Json]) -> ProviderError:
    """Return the error for an error object, whether it was sent alone or in the middle of a stream."""
    error = error_from_body(server, frame)
    fields = frame.get("error")
    kind = str(fields.get("type")) if isinstance(fields, dict) else ""
    return (
        RequestRejectedError(str(error), context_overflow=kind == "request_too_large")
        if kind in PERMANENT_ERROR_TYPES
        else error
    )


def flag_overflow(error: RequestRejectedError) -> RequestRejectedError:
    """Set ``context_overflow`` on a rejection whose message is about the prompt's length."""
    words = str(error).casefold()
    return (
        RequestRejectedError(str(error), context_overflow=True)
        if any(phrase in words for phrase in TOO_LONG)
        else error
    )
