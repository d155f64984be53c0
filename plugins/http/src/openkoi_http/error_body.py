"""Parse an error body in any of the formats that vendors share."""

import json
import re
from collections.abc import Mapping

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .server import one_line

QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded"})
PERMANENT_QUOTA = lazy_pattern(
    r"insufficient (?:quota|credits?|balance|funds)|credit balance|out of credits?|add (?:more )?credits"
    r"|billing hard limit",
    re.IGNORECASE,
)
TEMPORARY_QUOTA = lazy_pattern(
    r"\b(?:daily|monthly|per[ -]day|per[ -]month)\b|current quota"
    r"|\bquota\b[^.]{0,40}\b(?:exceeded|exhausted|used up|reached)|(?:exceeded|exhausted|used up)\b[^.]{0,40}\bquota\b",
    re.IGNORECASE,
)
DELAY_SECONDS = lazy_pattern(r"(\d{1,6}(?:\.\d{1,9})?)s")


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The message, codes and retry delay of an error body."""

    message: str = ""
    codes: frozenset[str | int] = frozenset()
    retry_after: float | None = None

    @property
    def status(self) -> int:
        """HTTP status that the body contains, or 0."""
        return next((code for code in self.codes if isinstance(code, int) and 300 <= code < 600), 0)

    @property
    def searchable_text(self) -> str:
        """Message and codes as one text."""
        return " ".join([*(code for code in self.codes if isinstance(code, str)), self.message]).strip()

    def is_quota_exhausted(self, retry_after: float | None) -> bool:
        """Return whether a quota is exhausted, rather than a limit that resets at a known time."""
        if self.codes & QUOTA_CODES or PERMANENT_QUOTA.search(self.message):
            return True
        return retry_after is None and TEMPORARY_QUOTA.search(self.message) is not None


def parse_error_body(answer: object) -> ErrorBody:
    """Parse an error body of any common format."""
    match answer:
        case [first, *_]:
            return parse_error_body(first)
        case {"error": str(message)} | {"detail": str(message)}:
            return ErrorBody(one_line(message))
        case {"error": dict(error)}:
            return parse_error_object(error)
        case dict(error):
            return parse_error_object(error)
    return ErrorBody()


def parse_error_object(error: Mapping[str, object]) -> ErrorBody:
    """Parse the object that describes an error."""
    codes = (error.get(key) for key in ("code", "type", "status"))
    message = error.get("message")
    return ErrorBody(
        one_line(message) if isinstance(message, str) else "",
        frozenset(code for code in codes if isinstance(code, str | int)),
        parse_retry_delay(error.get("details")),
    )


def parse_retry_delay(details: object) -> float | None:
    """Return the retry delay from the error's details, where some servers put it."""
    for detail in details if isinstance(details, list) else ():
        match detail:
            case {"retryDelay": str(delay)} if found := DELAY_SECONDS.fullmatch(delay):
                return float(found[1])
    return None


def parse_json_or_none(body: bytes) -> object:
    """Parse JSON, or return None."""
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer
