"""Show what a task does by editing one post, no more often than the app allows."""

import asyncio
from collections import deque
from dataclasses import field, replace

from openkoi_hookspecs import AppUnavailableError, KoiError, Record, events
from openkoi_hookspecs.integrations import Messenger, SupportsEdit
from openkoi_hookspecs.lazy_dataclass import dataclass

from .inbox import Request
from .outbox import Outbox
from .replies import WORKING, reply_to, sign_key

SHOWN_LINES = 5  # the last steps; more push the chat away (estimate)
MIN_GAP_SECONDS = 1.0  # between edits of a post (estimate); apps that want fewer calls say so


@dataclass(slots=True)
class ProgressPost:
    """The post that is edited while one task is under way. ``lines`` are the last steps."""

    request: Request
    app: Messenger
    outbox: Outbox
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN_LINES))
    shown: tuple[str, ...] = ()
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, record: Record) -> None:
        """Note what a run does."""
        match record.event:
            case events.ToolCallStarted(progress_text=text) if text:
                self.lines.append(text)
            case events.IterationFinished(iteration=number, score=score) if score is not None:
                self.lines.append(f"Iteration {number + 1}: score {score:.2f}")

    async def show(self) -> None:
        """Edit the post whenever there is news, until it is over."""
        if not isinstance(self.app, SupportsEdit):
            return
        gap = max(MIN_GAP_SECONDS, self.app.capabilities.edit_gap)
        while not await self.is_over_within(gap):
            if self.shown != tuple(self.lines) and not await self.edit():
                return

    async def is_over_within(self, seconds: float) -> bool:
        """Wait for the end, so many seconds at most."""
        try:
            async with asyncio.timeout(seconds):
                return await self.over.wait()
        except TimeoutError:
            return False

    async def edit(self) -> bool:
        """Show the last steps, unless the service wants fewer calls; return whether later steps can be shown."""
        post = self.request.post
        id, limits = self.outbox.sent_id(sign_key(self.request)), self.outbox.limits(post.app)
        if not id or limits.seconds_left(post.channel):
            return True
        self.shown = tuple(self.lines)
        text = self.outbox.koi.redact("\n".join([WORKING, "", *(f"- {line}" for line in self.shown)]))
        reply = reply_to(post, text, self.app.capabilities, key=sign_key(self.request))
        try:
            await self.outbox.koi.send(replace(reply, id=id, partial=True))
        except AppUnavailableError as error:
            limits.block(error, post.channel)
        except KoiError:
            return False
        return True
