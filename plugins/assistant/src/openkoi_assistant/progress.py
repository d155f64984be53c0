"""Show a task's progress by editing one post, no more often than the app allows."""

import asyncio
from collections import deque
from dataclasses import field, replace

from openkoi_hookspecs import AppUnavailableError, KoiError, Record, events
from openkoi_hookspecs.integrations import Messenger, SupportsEdit
from openkoi_hookspecs.lazy_dataclass import dataclass

from .inbox import Request
from .outbox import Outbox
from .rate_limits import loop_time
from .replies import WORKING, reply_to, sign_key

SHOWN_LINES = 20  # while no line is dropped, a stream only has to grow; more push the chat away (estimate)
DRAFT_SECONDS = 20.0  # Telegram shows a draft for 30
MIN_GAP_SECONDS = 1.0  # between edits of a post (estimate); apps that want fewer calls say so


@dataclass(slots=True)
class ProgressPost:
    """The post that is edited while a task is running. ``lines`` are the last steps.

    A progress post without an id is a draft: it was last sent at ``drawn``, is sent again, and the answer is a separate
    post.
    """

    request: Request
    app: Messenger
    outbox: Outbox
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN_LINES))
    shown: tuple[str, ...] = ()
    drawn: float = field(default_factory=loop_time)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, record: Record) -> None:
        """Record a step of a run."""
        match record.event:
            case events.ToolCallStarted(progress_text=text) if text:
                self.lines.append(text)
            case events.IterationFinished(iteration=number, score=score) if score is not None:
                self.lines.append(f"Iteration {number + 1}: score {score:.2f}")

    async def show(self) -> None:
        """Edit the post whenever there is a new step, until the task ends."""
        if not isinstance(self.app, SupportsEdit):
            return
        gap = max(MIN_GAP_SECONDS, self.app.capabilities.edit_gap)
        while not await self.is_over_within(gap):
            if (self.shown != tuple(self.lines) or self.is_fading()) and not await self.edit():
                return

    def is_fading(self) -> bool:
        """Return whether the post is a draft that its app stops showing soon."""
        return self.drawn > 0.0 and loop_time() - self.drawn > DRAFT_SECONDS

    async def is_over_within(self, seconds: float) -> bool:
        """Wait for the end of the task, at most this many seconds; return whether it has ended."""
        try:
            async with asyncio.timeout(seconds):
                return await self.over.wait()
        except TimeoutError:
            return False

    async def edit(self) -> bool:
        """Show the last steps, unless the service limits calls; return whether later steps can be shown."""
        post, key = self.request.post, sign_key(self.request)
        id, limits = self.outbox.sent_id(key), self.outbox.limits(post.app)
        if not self.outbox.is_sent(key) or limits.seconds_left(post.channel):
            return True
        self.shown, self.drawn = tuple(self.lines), 0.0 if id else loop_time()
        text = self.outbox.koi.redact("\n".join([WORKING, "", *(f"- {line}" for line in self.shown)]))
        reply = reply_to(post, text, self.app.capabilities, key=key)
        try:
            await self.outbox.koi.send(replace(reply, id=id, partial=True))
        except AppUnavailableError as error:
            limits.block(error, post.channel)
        except KoiError:
            return False
        return True
