"""What the vendor's complaints mean, beyond what vendors have in common. Knows its words."""

from openkoi_hookspecs import Json, ProviderError, RequestRejectedError
from openkoi_wire import Server, reported

LASTING = frozenset({"billing_error", "request_too_large"})
TOO_LONG = ("prompt is too long", "exceed context limit")


def complaint(server: Server, frame: dict[str, Json]) -> ProviderError:
    """Make the error for one that came in place of an answer, whole or in mid-stream."""
    error = reported(server, frame)
    said = frame.get("error")
    kind = str(said.get("type")) if isinstance(said, dict) else ""
    return RequestRejectedError(str(error), context_overflow=kind == "request_too_large") if kind in LASTING else error


def measured(error: RequestRejectedError) -> RequestRejectedError:
    """Tell whether a request was refused for its length."""
    words = str(error).casefold()
    return (
        RequestRejectedError(str(error), context_overflow=True)
        if any(phrase in words for phrase in TOO_LONG)
        else error
    )
