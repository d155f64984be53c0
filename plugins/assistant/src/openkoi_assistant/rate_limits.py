"""Obey the rate limits of an app: wait as long as it asks, for each bucket of calls that share a limit."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import field

from openkoi_hookspecs import AppUnavailableError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_SECONDS = 60.0  # of a growing pause: an hour of outage is about 65 calls
MAX_ASKED_SECONDS = 86_400.0  # that a service may ask for; a longer wait is a mistake that would silence the app


def loop_time() -> float:
    """Return the time of the event loop, which determines how long it sleeps."""
    return asyncio.get_running_loop().time()


@dataclass(slots=True)
class RateLimits:
    """When each bucket of an app may be called again: a channel's, or the one for all calls, whose name is empty."""

    now: Callable[[], float] = loop_time
    until: dict[str, float] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)

    def seconds_left(self, channel: str) -> float:
        """Return the seconds until a channel may be called."""
        return max(0.0, *(self.until.get(bucket, 0.0) - self.now() for bucket in ("", channel)))

    def block(self, error: AppUnavailableError, channel: str) -> float:
        """Record that a call was rejected; return the seconds until the next call to that bucket.

        If the service names no time, all its calls are blocked.
        """
        bucket = (error.bucket or channel) if error.retry_after is not None else ""
        self.failures[bucket] = self.failures.get(bucket, 0) + 1
        seconds = pause_after(self.failures[bucket], error.retry_after)
        if self.failures[bucket] > 1:  # a service that asks for no pause, and refuses again, gets one
            seconds = max(seconds, pause_after(self.failures[bucket] - 1))
        self.until[bucket] = max(self.until.get(bucket, 0.0), self.now() + seconds)
        return seconds

    def succeed(self, channel: str) -> None:
        """Record a successful call."""
        self.failures.pop("", None)
        self.failures.pop(channel, None)
        self.until = {bucket: end for bucket, end in self.until.items() if end > self.now()}

    def hold(self, seconds: float) -> None:
        """Block all calls to the app for this many seconds."""
        self.until[""] = max(self.until.get("", 0.0), self.now() + seconds)

    async def wait(self, channel: str) -> None:
        """Wait until a channel may be called."""
        if (seconds := self.seconds_left(channel)) > 0:
            await asyncio.sleep(seconds)
            await self.wait(channel)  # it may be longer by now


def pause_after(failures: int, retry_after: float | None = None) -> float:
    """Return the seconds to wait after consecutive failures: as the service requests, else doubled each time."""
    if retry_after is not None:
        return min(MAX_ASKED_SECONDS, retry_after)
    return float(min(MAX_SECONDS, 2.0 ** min(failures - 1, 10)) * random.uniform(0.95, 1.0))
