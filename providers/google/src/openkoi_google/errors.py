"""Interpret Google's error details: exhausted quotas, retry delays, context overflow."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Json, ProviderError, RequestRejectedError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_http import Server
from openkoi_http.rate_limit_wait import parse_retry_message
from openkoi_http.server import make_sentence, one_line

DAILY_QUOTA = lazy_pattern(r"per_?day", re.IGNORECASE)
BAD_KEY = lazy_pattern(r"api key (?:not valid|not found|expired)|API_KEY_(?:INVALID|EXPIRED)", re.IGNORECASE)
TOO_LONG = lazy_pattern(
    r"token count (?:is \d+ but|.*exceed)|exceed\w* the maximum number of (?:input )?tokens|payload size exceeds"
    r"|(?:prompt|input|request) is too long|context (?:length|window)",
    re.IGNORECASE,
)
DELAY_SECONDS = lazy_pattern(r"(\d+(?:\.\d+)?)s")


@dataclass(frozen=True, slots=True)
class GoogleError:
    """The message, code, reasons, quotas and retry delay of an error."""

    message: str
    code: int = 0
    reasons: str = ""
    quotas: str = ""
    delay: float | None = None

    @property
    def is_quota_exceeded(self) -> bool:
        """Whether a rate limit or quota was exceeded."""
        return self.code == 429 or "RESOURCE_EXHAUSTED" in self.reasons


def parse_error(body: bytes) -> GoogleError | None:
    """Parse an error body; return None when it is not one of the vendor's."""
    try:
        answer: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return find_error(answer)


def find_error(answer: Json) -> GoogleError | None:
    """Return the error in a response, which may be a list of events."""
    match answer:
        case [first, *_]:
            return find_error(first)
        case {"error": dict(error)}:
            return parse_error_object(error)
    return None


def parse_error_object(error: Mapping[str, Json]) -> GoogleError:
    """Parse the object that describes an error."""
    message, code, details = error.get("message"), error.get("code"), objects_in(error.get("details"))
    violations = [violation for detail in details for violation in objects_in(detail.get("violations"))]
    reasons = [error.get("status"), *(detail.get("reason") for detail in details)]
    quotas = [violation.get(key) for violation in violations for key in ("quotaId", "quotaMetric")]
    return GoogleError(
        one_line(message) if isinstance(message, str) else "",
        code if type(code) is int else 0,
        join_texts(reasons),
        join_texts(quotas),
        next(retry_delays(details), None),
    )


def to_provider_error(trouble: GoogleError | None, server: Server, status: int = 0) -> ProviderError | None:
    """Return the error for details that only this vendor sends, or None if its status suffices."""
    if trouble is None:
        return None
    if trouble.is_quota_exceeded:
        return quota_error(trouble, server)
    code = status or trouble.code
    if TOO_LONG.search(trouble.message):
        what = make_sentence(f"rejected the request as too long ({code})", trouble.message)
        return RequestRejectedError(str(server.rejected_error(what)), context_overflow=True)
    if BAD_KEY.search(f"{trouble.message} {trouble.reasons}"):
        return server.rejected_error(make_sentence(f"rejected the key ({code})", trouble.message, "Check the key."))
    return None


def quota_error(trouble: GoogleError, server: Server) -> ProviderError:
    """Return the error for an exceeded quota: permanent for a daily one, temporary otherwise."""
    if DAILY_QUOTA.search(trouble.quotas):
        happened = "reports that the daily quota is exhausted (429)"
        return server.rejected_error(make_sentence(happened, trouble.message, "Use another model, or check your plan."))
    delay = parse_retry_message(trouble.message) if trouble.delay is None else trouble.delay
    return server.unavailable(make_sentence("rate limit exceeded (429)", trouble.message), retry_after=delay)


def retry_delays(details: Sequence[Mapping[str, Json]]) -> Iterator[float]:
    """Yield the valid retry delays in seconds."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and (found := DELAY_SECONDS.fullmatch(delay)):
            yield float(found[1])


def objects_in(value: Json) -> list[dict[str, Json]]:
    """Return the objects in a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def join_texts(values: Sequence[Json]) -> str:
    """Join the strings among some values."""
    return " ".join(value for value in values if isinstance(value, str))
