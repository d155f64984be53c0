"""Read an error's body in any of the shapes that vendors share. Knows no status and no server."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .server import one_line

USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded"})
FOR_GOOD = re.compile(
    r"insufficient (?:quota|credits?|balance|funds)|credit balance|out of credits?|add (?:more )?credits"
    r"|billing hard limit",
    re.IGNORECASE,
)
FOR_NOW = re.compile(
    r"\b(?:daily|monthly|per[ -]day|per[ -]month)\b|current quota"
    r"|\bquota\b[^.]{0,40}\b(?:exceeded|exhausted|used up|reached)|(?:exceeded|exhausted|used up)\b[^.]{0,40}\bquota\b",
    re.IGNORECASE,
)
DELAY = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an error body says, the words and numbers it files the error under, and when to come back."""

    message: str = ""
    codes: frozenset[str | int] = frozenset()
    retry_after: float | None = None

    @property
    def status(self) -> int:
        """The HTTP status that the body names, or 0."""
        return next((code for code in self.codes if isinstance(code, int) and 300 <= code < 600), 0)

    @property
    def words(self) -> str:
        """The message with the words it is filed under."""
        return " ".join([*(code for code in self.codes if isinstance(code, str)), self.message]).strip()

    def used_up(self, retry_after: float | None) -> bool:
        """Whether a quota is at its end: what comes back by itself at a known time is not."""
        if self.codes & USED_UP or FOR_GOOD.search(self.message):
            return True
        return retry_after is None and FOR_NOW.search(self.message) is not None


def complaint(answer: object) -> Complaint:
    """Read an error body of any of the shapes that are in use."""
    match answer:
        case [first, *_]:
            return complaint(first)
        case {"error": str(message)} | {"detail": str(message)}:
            return Complaint(one_line(message))
        case {"error": dict(error)}:
            return complaint_of(error)
        case dict(error):
            return complaint_of(error)
    return Complaint()


def complaint_of(error: Mapping[str, object]) -> Complaint:
    """Read the object that describes an error."""
    codes = (error.get(key) for key in ("code", "type", "status"))
    message = error.get("message")
    return Complaint(
        one_line(message) if isinstance(message, str) else "",
        frozenset(code for code in codes if isinstance(code, str | int)),
        delay(error.get("details")),
    )


def delay(details: object) -> float | None:
    """Read the seconds to wait from the details of an error, which some servers say there only."""
    for detail in details if isinstance(details, list) else ():
        match detail:
            case {"retryDelay": str(said)} if found := DELAY.fullmatch(said):
                return float(found[1])
    return None


def document(body: bytes) -> object:
    """Read JSON, or None."""
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer
