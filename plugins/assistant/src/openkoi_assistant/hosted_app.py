"""Watch an app while the daemon runs, and track its state."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from enum import StrEnum

from openkoi_hookspecs import AppUnavailableError, KoiError, SignInRequiredError, SupportsHealthCheck
from openkoi_hookspecs.integrations import Delivery, Documents, Messenger, SupportsCommit
from openkoi_hookspecs.lazy_dataclass import dataclass

from .rate_limits import loop_time, pause_after

STABLE_SECONDS = 30.0  # a connection that lasted so long was a good one
MAX_QUICK = 2  # how often in a row an app may ask to be watched again at once
SIGN_IN_SECONDS = 60.0  # how often an app is tried that the user must sign in to
HEALTH_SECONDS = 600.0  # between looks at an app without posts, which costs a call (estimate)


class AppStatus(StrEnum):
    """The state of an app."""

    CONNECTING = "connecting"
    WATCHING = "watching"
    CONNECTED = "connected"
    UNAVAILABLE = "unavailable"
    SIGN_IN = "sign-in required"
    FAILED = "failed"


@dataclass(slots=True)
class HostedApp:
    """An app that is watched or, if it has no posts, whose health is checked.

    ``take`` stores deliveries; ``changed`` is called when its status changes.
    ``hold`` delays sending until the next attempt, so that an outage does not double the number of attempts.
    ``refusal`` says why no post can be sent, although incoming posts may still be read.
    """

    name: str
    app: Messenger | Documents
    take: Callable[[str, Delivery], Awaitable[None]]
    cursor: Callable[[], str]
    changed: Callable[[], None]
    hold: Callable[[float], None]
    status: AppStatus = AppStatus.CONNECTING
    detail: str = ""
    since: str = ""
    failures: int = 0
    is_watched: bool = False
    refusal: str = ""

    async def watch(self) -> None:
        """Watch the app; after an error, watch again from the last stored cursor."""
        while True:
            try:
                if isinstance(self.app, Messenger):
                    await self.take_all(self.app)
                else:
                    await self.check_health_repeatedly(self.app)
                pause = self.fail(AppStatus.UNAVAILABLE, "It stopped without an error message.")
            except AppUnavailableError as error:
                pause = self.fail(AppStatus.UNAVAILABLE, str(error), error.retry_after)
            except SignInRequiredError as error:
                self.fail(AppStatus.SIGN_IN, str(error))
                pause = SIGN_IN_SECONDS
            except KoiError as error:
                pause = self.fail(AppStatus.FAILED, str(error))
            except Exception as error:  # an app is a plugin: it may raise anything, and the others continue
                pause = self.fail(AppStatus.FAILED, f"{type(error).__name__}: {error}")
            self.hold(pause + 1.0)
            await asyncio.sleep(pause)

    async def check_health_repeatedly(self, app: Documents) -> None:
        """Check the health of an app without posts repeatedly, until a check fails."""
        while True:
            if isinstance(app, SupportsHealthCheck):
                await app.health()
            self.failures = 0
            self.set_status(AppStatus.CONNECTED)
            await asyncio.sleep(HEALTH_SECONDS)

    async def take_all(self, app: Messenger) -> None:
        """Process deliveries until the app stops yielding them."""
        begun = loop_time()
        async with aclosing(app.watch(self.cursor())) as deliveries:
            async for delivery in deliveries:
                if loop_time() - begun > STABLE_SECONDS:
                    self.failures = 0
                self.set_status(AppStatus.WATCHING)
                await self.take(self.name, delivery)
                if isinstance(app, SupportsCommit):
                    await app.commit(delivery.cursor)

    def fail(self, status: AppStatus, detail: str, retry_after: float | None = None) -> float:
        """Record a failure; return the seconds until the next attempt."""
        self.failures += 1
        self.set_status(status, detail)
        again = self.failures > MAX_QUICK  # a service that asks for another connection each time counts as unavailable
        asked = pause_after(self.failures, retry_after)
        return max(pause_after(self.failures), asked) if again else asked

    def set_status(self, status: AppStatus, detail: str = "") -> None:
        """Change the app's state; one that is watched but rejects posts still needs a sign-in."""
        self.is_watched = status is AppStatus.WATCHING
        if self.is_watched and self.refusal:
            status, detail = AppStatus.SIGN_IN, self.refusal
        if (status, detail) != (self.status, self.detail):
            self.status, self.detail = status, detail
            self.since = datetime.now(UTC).isoformat(timespec="seconds")
            self.changed()

    def note_refusal(self, refusal: str = "") -> None:
        """Record that the app rejects posts until the user signs in, or that it accepts them again."""
        self.refusal = refusal
        if self.is_watched:
            self.set_status(AppStatus.WATCHING)
