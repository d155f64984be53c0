"""What the vendor's errors mean beyond their status: which quota is used up, when to come back, what was too long.

Knows the shape of the vendor's errors; opens no connection.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json, ProviderError, RequestRejectedError
from openkoi_wire import Server
from openkoi_wire.retry import said_in
from openkoi_wire.server import one_line, sentence

USED_UP = re.compile(r"per_?day", re.IGNORECASE)
BAD_KEY = re.compile(r"api key (?:not valid|not found|expired)|API_KEY_(?:INVALID|EXPIRED)", re.IGNORECASE)
TOO_LONG = re.compile(
    r"token count (?:is \d+ but|.*exceed)|exceed\w* the maximum number of (?:input )?tokens|payload size exceeds"
    r"|(?:prompt|input|request) is too long|context (?:length|window)",
    re.IGNORECASE,
)
DELAY = re.compile(r"(\d+(?:\.\d+)?)s")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What an error says: its words, the code and the reasons it is filed under, the quotas, and when to come back."""

    message: str
    code: int = 0
    reasons: str = ""
    quotas: str = ""
    delay: float | None = None

    @property
    def too_much(self) -> bool:
        """Whether too much was asked for, at once or in all."""
        return self.code == 429 or "RESOURCE_EXHAUSTED" in self.reasons


def trouble(body: bytes) -> Trouble | None:
    """Read an error's body; None when it is none of the vendor's."""
    try:
        answer: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return trouble_in(answer)


def trouble_in(answer: Json) -> Trouble | None:
    """Find an error in an answer, also in the list that a stream is."""
    match answer:
        case [first, *_]:
            return trouble_in(first)
        case {"error": dict(error)}:
            return trouble_of(error)
    return None


def trouble_of(error: Mapping[str, Json]) -> Trouble:
    """Read the object that describes an error."""
    message, code, details = error.get("message"), error.get("code"), objects(error.get("details"))
    violations = [one for detail in details for one in objects(detail.get("violations"))]
    reasons = [error.get("status"), *(detail.get("reason") for detail in details)]
    quotas = [one.get(key) for one in violations for key in ("quotaId", "quotaMetric")]
    return Trouble(
        one_line(message) if isinstance(message, str) else "",
        code if type(code) is int else 0,
        words(reasons),
        words(quotas),
        next(delays(details), None),
    )


def error_of(trouble: Trouble | None, server: Server, status: int = 0) -> ProviderError | None:
    """Make the error for what only the vendor says; None when its status and message say it all."""
    if trouble is None:
        return None
    if trouble.too_much:
        return exhausted(trouble, server)
    shown = status or trouble.code
    if TOO_LONG.search(trouble.message):
        what = sentence(f"refused the request as too long ({shown})", trouble.message)
        return RequestRejectedError(str(server.refused(what)), context_overflow=True)
    if BAD_KEY.search(f"{trouble.message} {trouble.reasons}"):
        return server.refused(sentence(f"refused the key ({shown})", trouble.message, "Check the key."))
    return None


def exhausted(trouble: Trouble, server: Server) -> ProviderError:
    """Tell a quota that is used up for today from one that soon is not."""
    if USED_UP.search(trouble.quotas):
        happened = "says that the quota of this day is used up (429)"
        return server.refused(sentence(happened, trouble.message, "Use another model, or check the account's plan."))
    delay = said_in(trouble.message) if trouble.delay is None else trouble.delay
    return server.unavailable(sentence("is asked too much (429)", trouble.message), retry_after=delay)


def delays(details: Sequence[Mapping[str, Json]]) -> Iterator[float]:
    """List the seconds to wait that make sense."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and (found := DELAY.fullmatch(delay)):
            yield float(found[1])


def objects(value: Json) -> list[dict[str, Json]]:
    """Return what is an object in a list, if it is one."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def words(values: Sequence[Json]) -> str:
    """Put together what is words."""
    return " ".join(value for value in values if isinstance(value, str))
