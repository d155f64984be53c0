"""Limit how long to wait for a response (timeouts) and how much of it to read."""

from openkoi_hookspecs.lazy_dataclass import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseLimits:
    """Timeouts in seconds and sizes in bytes.

    ``idle_seconds`` counts from the last content; keep-alive bytes do not reset it. The first content may take 11/6 of
    ``idle_seconds``, headers included, which is less than two minutes by default.
    """

    connect_seconds: float = 10.0
    idle_seconds: float = 60.0
    event_bytes: int = 8 * MIB
    response_bytes: int = 64 * MIB
    error_bytes: int = 64 * KIB
    error_seconds: float = 5.0

    @property
    def error_timeout(self) -> float:
        """Seconds to wait for an error's body, never longer than for a response."""
        return min(self.error_seconds, self.idle_seconds)

    @property
    def first_content_timeout(self) -> float:
        """Seconds from the request until the first content must arrive."""
        return self.idle_seconds * 11 / 6
