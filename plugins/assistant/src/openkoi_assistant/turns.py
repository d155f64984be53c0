"""Run an app's message as a task, from its progress post to its answer, and resume it after a crash."""

import asyncio
from collections.abc import Callable
from dataclasses import field
from functools import partial

from openkoi_hookspecs import (
    Handle,
    Koi,
    KoiError,
    NextAction,
    PluginNotFoundError,
    Record,
    RunState,
    RunStoppedError,
    events,
)
from openkoi_hookspecs.integrations import Messenger
from openkoi_hookspecs.lazy_dataclass import dataclass

from .approvals import Approvals
from .database import UnwritableError, transaction, write_once_possible
from .inbox import Kind, Request, Requests, State
from .outbox import Outbox
from .progress import ProgressPost
from .prompts import make_task, task_text
from .replies import describe_result, make_answer, make_sign

STOPPED = "Stopped."
ELSEWHERE_SECONDS = 2.0  # how often a run that another process does is looked at


@dataclass(slots=True)
class Turn:
    """A running request. ``stopped``: the user ended it. ``added``: messages to it that it has not read yet."""

    request: Request
    progress: ProgressPost
    handle: Handle | None = None
    stopped: bool = False
    added: list[Request] = field(default_factory=list)

    def stop(self) -> None:
        """End the task."""
        self.stopped = True
        if self.handle:
            self.handle.stop()


@dataclass(slots=True)
class Turns:
    """Runs requests. ``active`` are the running ones, by conversation; ``closing``: the daemon is about to end.

    ``read`` are messages that runs have read, but that are not marked as done yet.
    """

    koi: Koi
    requests: Requests
    outbox: Outbox
    approvals: Approvals
    messenger: Callable[[str], Messenger]
    workspace: str = ""
    active: dict[str, Turn] = field(default_factory=dict)
    read: list[Request] = field(default_factory=list)
    closing: bool = False

    def hear(self, record: Record) -> None:
        """Pass a record to the turn of its run."""
        for turn in self.active.values():
            if turn.handle and turn.handle.id == record.run:
                turn.progress.hear(record)
                if turn.added and isinstance(record.event, events.MessageAdded) and record.event.from_user:
                    self.read.append(turn.added.pop(0))
                    self.finish_read()

    def finish_read(self) -> None:
        """Mark messages that runs have read as done, so that none gets them again; retry later if the disk is full."""
        while self.read:
            self.requests.finish(self.read[0])
            del self.read[0]

    def show_sign(self, request: Request) -> None:
        """Post at once that a request has arrived."""
        capabilities = self.messenger(request.post.app).capabilities
        queued = request.conversation in self.active
        self.outbox.put(make_sign(request, capabilities, queued=queued))
        self.outbox.wake(request.post.app, [request.post.channel])

    async def do(self, request: Request) -> None:
        """Run a request; send its answer or its questions."""
        if self.approvals.is_revoked(request) or await self.koi.receive(request.post) is None:
            self.requests.finish(request)
            return
        app = self.messenger(request.post.app)
        turn = Turn(request, ProgressPost(request, app, self.outbox))
        self.active[request.conversation] = turn
        try:
            text = await self.show_and_run(turn, app)
            settle = partial(self.settle, turn, text)
            await write_once_possible(self.requests.database, settle, self.koi.warn, lambda: self.closing)
        finally:
            del self.active[request.conversation]

    async def show_and_run(self, turn: Turn, app: Messenger) -> str:
        """Run a request, and show its progress; return its answer."""
        showing = asyncio.create_task(turn.progress.show())
        try:
            return await self.result_of(turn, app)
        finally:
            turn.progress.over.set()
            await showing

    def settle(self, turn: Turn, text: str) -> None:
        """Store the outcome of a request: its answer, if any, and messages that it did not read."""
        self.settle_added(turn)
        if text:
            self.answer(turn.request, text)

    def settle_added(self, turn: Turn) -> None:
        """Turn the messages that a turn did not read into tasks, unless the user stopped it."""
        for added in turn.added:
            if turn.stopped:
                self.requests.finish(added)
            else:
                self.requests.set_kind(added.identity, Kind.TASK)

    async def result_of(self, turn: Turn, app: Messenger) -> str:
        """Return the answer to a request; empty if it waits for the user, or the next process will resume it."""
        try:
            turn.handle = handle = await self.start(turn.request, app)
            if turn.stopped:
                handle.stop()
            result = await handle.result()
        except RunStoppedError:
            return "" if self.closing else STOPPED
        except EndedError as ended:
            return ended.text
        except UnwritableError:
            raise  # it is done again once the disk takes it
        except KoiError as error:
            return f"The task failed: {error}"
        except Exception as error:  # an app or plugin may raise anything, and the request must not be tried for ever
            return f"The task failed: {type(error).__name__}: {error}"
        waits = result.decision.action is NextAction.ESCALATE
        return "" if waits and await self.approvals.ask(turn.request, handle.id) else describe_result(result)

    async def start(self, request: Request, app: Messenger) -> Handle:
        """Start the task of a request, or resume its run; raise EndedError if that already has its result."""
        while request.run and self.state_of(request) is RunState.RUNNING:  # noqa: ASYNC110  # resumed at a terminal
            await asyncio.sleep(ELSEWHERE_SECONDS)
        if request.run:
            try:
                return self.koi.resume(request.run)
            except PluginNotFoundError:  # the daemon was killed before the run began
                pass
            except KoiError:
                raise EndedError(ended_text(self.koi, request)) from None
        past = self.requests.history(request.conversation)
        task = await make_task(request, app, past, self.workspace)
        handle = self.koi.begin(task)
        try:
            self.requests.set_state(request.identity, State.RUNNING, handle.id)  # before the run can do anything
        except UnwritableError:
            handle.stop()
            raise
        return handle

    def state_of(self, request: Request) -> RunState | None:
        """Return the state of a request's run."""
        found = (one.state for one in self.koi.runs(request.conversation) if one.id == request.run)
        return next(found, None)

    def answer(self, request: Request, text: str) -> None:
        """Store the answer and its posts, then start sending them."""
        capabilities = self.messenger(request.post.app).capabilities
        question, content = self.koi.redact(task_text(request.post)), self.koi.redact(text)
        with transaction(self.requests.database):
            self.approvals.questions.close(request.identity)
            self.requests.finish(request, content, question)
            self.outbox.put(*make_answer(request, content, capabilities))
        self.outbox.wake(request.post.app, [request.post.channel])

    def stop(self, conversation: str) -> bool:
        """End everything that is running or waiting in a conversation; return whether there was anything."""
        turn = self.active.get(conversation)
        if turn:
            turn.stop()
        waiting = [one for one in self.requests.waiting() if one.conversation == conversation]
        for one in waiting:
            self.answer(one, STOPPED)
        return bool(turn or waiting)


class EndedError(KoiError):
    """A run has ended before it could be resumed; its answer is in the log."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def ended_text(koi: Koi, request: Request) -> str:
    """Return the answer of a run that has ended, from the log."""
    own = [one.event for one in koi.records(request.conversation) if one.run == request.run]
    works = [one.work.text for one in own if isinstance(one, events.ExecutionFinished)]
    best = next((one.best for one in reversed(own) if isinstance(one, events.RunCompleted)), len(works) - 1)
    failed = next((one.reason for one in reversed(own) if isinstance(one, events.RunFailed)), "")
    text = works[best] if 0 <= best < len(works) else ""
    return text.strip() or (f"The task failed: {failed}" if failed else "Done.")
