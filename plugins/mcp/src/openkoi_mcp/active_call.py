"""A call to an MCP server in progress: the run that made it, and its timeout (the remaining time)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import field

from openkoi_base.printable import one_line
from openkoi_hookspecs import Question, Run, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .events import CallProgressed

PROGRESS_SECONDS = 1.0  # between two records of a call's progress; estimate: a server may send thousands a second
MAX_QUESTIONS = 50  # of one call; estimate: the fields of a long form
MAX_PROGRESS = 200  # characters of a message: two lines of a terminal


@dataclass(eq=False, slots=True)
class ActiveCall:
    """One call of one run. Its timeout is paused while the server waits for the user."""

    run: Run
    server: str
    timeout: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    left: float = 0.0
    pauses: int = 0
    questions: int = 0
    progress: str = ""
    showing: asyncio.Task[None] | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Pause the call's timeout; a server may ask several questions at once."""
        now = asyncio.get_running_loop().time
        if not self.pauses:
            self.left = (self.timeout.when() or now()) - now()
            self.timeout.reschedule(None)
        self.pauses += 1
        try:
            yield
        finally:
            self.pauses -= 1
            if not (self.pauses or self.timeout.expired()):
                self.timeout.reschedule(now() + max(0.0, self.left))

    async def ask(self, question: Question) -> str | None:
        """Ask the user of the run; None if the server asks too many questions."""
        self.questions += 1
        if self.questions > MAX_QUESTIONS:
            return None
        with self.pause():
            return await self.run.ask(question)

    async def show_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Show the server's progress: at once, or only the latest in each second."""
        share = f"{progress:g} of {total:g}" if total else f"{progress:g}"
        line = one_line(message or "")[:MAX_PROGRESS]
        self.progress = f"[{self.server}] {f'{line} ({share})' if line else share}"
        if self.showing is None or self.showing.done():
            self.showing = asyncio.create_task(self.show_in_turn())

    async def show_in_turn(self) -> None:
        """Show pending progress, then newer progress, until there is none."""
        while text := self.progress:
            self.progress = ""
            await self.run.emit(CallProgressed(text))
            with suppress(TimeoutError):
                async with asyncio.timeout(PROGRESS_SECONDS):
                    await self.ended.wait()

    async def end(self) -> None:
        """Show the last progress."""
        self.ended.set()
        if self.showing:
            await self.showing


CURRENT: ContextVar[ActiveCall | None] = ContextVar("current_mcp_call", default=None)


class ActiveCalls:
    """The calls of one server that are under way."""

    def __init__(self) -> None:
        self.calls: list[ActiveCall] = []

    @asynccontextmanager
    async def begin(self, run: Run, server: str, seconds: float) -> AsyncIterator[ActiveCall]:
        """Count a call as under way, for at most ``seconds``; raise ToolError at the timeout."""
        call = ActiveCall(run, server)
        self.calls.append(call)
        before = CURRENT.set(call)
        try:
            async with call.timeout:
                call.timeout.reschedule(asyncio.get_running_loop().time() + seconds)
                yield call
        except TimeoutError:
            if not call.timeout.expired():
                raise
            raise ToolError(
                f"The MCP server {server} did not answer within {seconds:g} s; the call was cancelled. "
                f"To allow more time, raise the server's `timeout`."
            ) from None
        finally:
            CURRENT.reset(before)
            self.calls.remove(call)
            await call.end()

    @property
    def asking(self) -> ActiveCall | None:
        """The call that a server's question belongs to; None if several runs wait for the server."""
        if call := CURRENT.get():
            return call
        runs = {call.run.id for call in self.calls}
        return self.calls[-1] if len(runs) == 1 else None
