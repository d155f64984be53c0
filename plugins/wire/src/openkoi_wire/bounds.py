"""How long a server is waited for, and how much of it is read. Knows numbers only."""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Seconds and bytes. ``idle`` counts from the last piece of content: keep-alive bytes do not renew it.

    An answer may take nearly twice as long to begin as to go on, its headers included: less than two minutes at most,
    unless more is asked for.
    """

    connect: float = 10.0
    idle: float = 60.0
    event: int = 8 * MIB
    answer: int = 64 * MIB
    error: int = 64 * KIB
    error_seconds: float = 5.0

    @property
    def least_error(self) -> float:
        """Seconds for an error's body, which is not worth waiting for longer than for an answer."""
        return min(self.error_seconds, self.idle)

    @property
    def first(self) -> float:
        """Seconds from the request until the first piece of an answer must be there."""
        return self.idle * 11 / 6
