"""Host apps: store incoming posts, handle them in the order of their conversation, and reply there."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from typing import Any

from openkoi_hookspecs import Koi, KoiError, SignInRequiredError
from openkoi_hookspecs.integrations import Delivery, Documents, Messenger
from openkoi_hookspecs.lazy_dataclass import dataclass

from .approvals import Approvals
from .arrivals import Arrivals
from .database import UnwritableError
from .hosted_app import HostedApp
from .inbox import Kind, Request, Requests, State
from .outbox import Outbox
from .prompts import steering_text
from .turns import Turns
from .user_pairing import Members, Role

POLL_SECONDS = 2.0  # for answers that were given at a terminal
PRUNE_SECONDS = 3600.0  # between deletions of what is done (estimate)
PAIRED = {
    Role.OWNER: "You are now an owner of this assistant. Send a task; `stop` ends it, `also ...` adds to it.",
    Role.MEMBER: "You are now a member of this assistant. Send a task; an owner approves its requests.",
}
NOTHING_TO_STOP = "There is nothing to stop."
NOTED = "Added to the running task."
NOT_ANSWERED = "The answer to a question could not be saved: {}; OpenKoi will try again."


@dataclass(slots=True)
class Gateway:
    """Hosts the apps of a ``Koi``: ``tasks`` at once.

    ``changed`` is called when the status changes, ``rested`` when all tasks are done.
    ``libraries`` are the apps with documents but without posts, whose health is only checked.
    """

    koi: Koi
    database: sqlite3.Connection
    tasks: int
    workspace: str = ""
    changed: Callable[[], None] = field(default=lambda: None)
    rested: Callable[[], object] = field(default=lambda: None)
    apps: dict[str, HostedApp] = field(default_factory=dict)
    libraries: dict[str, HostedApp] = field(default_factory=dict)
    workers: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    others: set[asyncio.Task[None]] = field(default_factory=set)
    answering: set[str] = field(default_factory=set)
    requests: Requests = field(init=False)
    members: Members = field(init=False)
    outbox: Outbox = field(init=False)
    approvals: Approvals = field(init=False)
    turns: Turns = field(init=False)
    arrivals: Arrivals = field(init=False)
    slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.requests, self.members = Requests(self.database), Members(self.database)
        self.outbox = Outbox(self.koi, self.database, refused=self.show_refusal, accepted=self.forget_refusal)
        self.approvals = Approvals(self.koi, self.requests, self.members, self.outbox, self.messenger)
        self.turns = Turns(self.koi, self.requests, self.outbox, self.approvals, self.messenger, self.workspace)
        self.arrivals = Arrivals(self.requests, self.members, self.outbox, self.messenger, self.turns.active)
        self.slots = asyncio.Semaphore(self.tasks)

    def messenger(self, app: str) -> Messenger:
        """Return an app by its name."""
        found = self.apps[app].app
        assert isinstance(found, Messenger)  # as host() sorts them
        return found

    # Life

    def host(self, name: str, app: Messenger | Documents) -> None:
        """Add an app."""
        cursor = partial(self.requests.cursor, name)
        hold = self.outbox.limits(name).hold
        hosted = self.apps if isinstance(app, Messenger) else self.libraries
        hosted[name] = HostedApp(name, app, self.take, cursor, self.changed, hold)

    def show_refusal(self, app: str, error: KoiError) -> None:
        """Show in the status that an app rejected a post; it may need a new token although its socket is open."""
        if isinstance(error, SignInRequiredError) and app in self.apps:
            self.apps[app].note_refusal(str(error))
        self.changed()

    def forget_refusal(self, app: str) -> None:
        """Show in the status that an app accepts posts again."""
        if app in self.apps:
            self.apps[app].note_refusal()

    async def run(self, stop: asyncio.Event) -> None:
        """Resume unfinished requests, then handle new ones until the daemon stops."""
        stop_listening = self.koi.listen(self.turns.hear)
        for name in self.apps:
            self.outbox.wake(name)
        self.resume()
        for app in (*self.apps.values(), *self.libraries.values()):
            self.keep(app.watch())
        self.keep(self.follow_terminals())
        self.keep(self.prune())
        await stop.wait()
        self.turns.closing = True
        for task in self.others:
            task.cancel()
        for turn in self.turns.active.values():
            if turn.handle:
                turn.handle.stop()
        await asyncio.gather(*self.others, *self.workers.values(), return_exceptions=True)
        await self.outbox.close()
        stop_listening()

    def keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background; report an error."""
        task = asyncio.create_task(work)
        self.others.add(task)
        task.add_done_callback(self.others.discard)
        task.add_done_callback(self.report)
        return task

    def report(self, task: "asyncio.Task[None]") -> None:
        """Warn about an error that is not reported elsewhere."""
        if not task.cancelled() and (error := task.exception()):
            self.warn(error)

    def warn(self, error: BaseException) -> None:
        """Warn of an error."""
        is_known = isinstance(error, KoiError)
        self.koi.warn(str(error) if is_known else f"Error in the assistant: {type(error).__name__}: {error}")

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Warn about an error in an action that is tried again, such as on a full disk, and continue."""
        try:
            yield
        except Exception as error:  # an app or plugin may raise anything, and what follows has to be done all the same
            self.warn(error)

    # What arrives

    async def take(self, app: str, delivery: Delivery) -> None:
        """Store a delivery with its cursor, then act on it if it is new."""
        request = self.arrivals.admit(app, delivery.post) if delivery.post else None
        if self.requests.journal(app, delivery.cursor, request) and request:
            self.act(request)

    def resume(self) -> None:
        """Act on all requests that were unfinished when the daemon ended."""
        for request in self.filter_hosted(self.requests.list_unfinished()):
            if request.state is not State.WAITING:
                self.act(request)

    def filter_hosted(self, requests: Iterable[Request]) -> list[Request]:
        """Return the requests whose app is hosted; others wait until their app is connected again."""
        return [one for one in requests if one.post.app in self.apps]

    def act(self, request: Request) -> None:
        """Start the action that a request asks for."""
        match request.kind:
            case Kind.TASK:
                self.turns.show_sign(request)
                self.work_on(request.conversation)
            case Kind.STEER:
                self.steer(request)
            case Kind.STOP:
                notice = "" if self.turns.stop(request.conversation) else NOTHING_TO_STOP
                self.conclude(request, notice)
            case Kind.PAIR:
                self.conclude(request, PAIRED.get(self.members.pair(request.post), ""))
                self.changed()
            case Kind.ANSWER:
                self.answering.add(request.identity)
                task = self.keep(self.take_answer(request))
                task.add_done_callback(lambda _: self.answering.discard(request.identity))

    def conclude(self, request: Request, notice: str) -> None:
        """Post a reply, unless it is empty, and mark a request as done."""
        if notice:
            self.approvals.say(request, notice)
        self.requests.finish(request)
        self.outbox.wake(request.post.app, [request.post.channel])

    def steer(self, request: Request) -> None:
        """Add a message to the running task; if that has ended, the message becomes a new task."""
        turn = self.turns.active.get(request.conversation)
        try:
            if turn is None or turn.handle is None:
                raise KoiError("No task is running.")
            turn.handle.say(steering_text(request))
        except KoiError:
            self.requests.set_kind(request.identity, Kind.TASK)
            self.turns.show_sign(request)
            self.work_on(request.conversation)
        else:
            turn.added.append(request)
            self.approvals.say(request, NOTED)
            self.outbox.wake(request.post.app, [request.post.channel])

    async def take_answer(self, request: Request) -> None:
        """Accept an answer to a question, and continue the task that waits for it.

        A write error is tried again; any other error would occur again each time.
        """
        role, identity = self.members.role_of(request.post.app, request.post.sender), ""
        try:
            identity = await self.approvals.answer(request, role)
        except UnwritableError:
            raise
        except OSError as error:
            from openkoi_base.files.write_errors import describe_write_error

            raise KoiError(NOT_ANSWERED.format(describe_write_error(error))) from None
        except Exception as error:  # the stores of runs and questions are plugins, which may raise anything
            self.warn(error)
        self.requests.finish(request)
        if identity and (waiting := self.requests.find(identity)):
            self.resume_waiting(waiting)

    def resume_waiting(self, waiting: Request) -> None:
        """Resume a waiting request."""
        if waiting.state is State.WAITING:
            self.approvals.questions.close(waiting.identity)
            self.requests.set_state(waiting.identity, State.RUNNING)
            self.work_on(waiting.conversation)

    # What is done

    def work_on(self, conversation: str) -> None:
        """Start working on the tasks of a conversation, one after the other."""
        if conversation not in self.workers:
            task = asyncio.create_task(self.work(conversation))
            self.workers[conversation] = task
            task.add_done_callback(partial(self.end_work, conversation))
        self.changed()

    async def work(self, conversation: str) -> None:
        """Run the tasks of a conversation in order."""
        while not self.turns.closing and (request := self.requests.next_task(conversation, self.apps)):
            async with self.slots:
                await self.turns.do(request)

    def end_work(self, conversation: str, task: "asyncio.Task[None]") -> None:
        """Stop working on a conversation without tasks; start again if a task has arrived meanwhile."""
        del self.workers[conversation]
        self.report(task)
        failed = task.cancelled() or task.exception()
        if not (failed or self.turns.closing) and self.requests.next_task(conversation, self.apps):
            self.work_on(conversation)
        if not self.workers:
            self.rested()
        self.changed()

    async def follow_terminals(self) -> None:
        """Resume requests that were answered elsewhere, and start those that an error has delayed."""
        seen = self.members.version()
        while True:
            await asyncio.sleep(POLL_SECONDS)
            with self.reporting():
                before, seen = seen, self.members.version()
                if seen != before:  # a terminal paired or removed users
                    self.changed()
                await self.continue_all()

    async def continue_all(self) -> None:
        """Continue every request that can be continued."""
        for request in await self.approvals.answered_elsewhere(self.filter_hosted(self.requests.waiting())):
            self.resume_waiting(request)
        self.act_again()
        for conversation in self.requests.conversations_to_do(self.apps) - self.workers.keys():
            self.work_on(conversation)
        for app in self.apps:
            self.outbox.wake(app)

    def act_again(self) -> None:
        """Act again on unfinished posts, such as an answer that could not be saved on a full disk."""
        self.turns.finish_read()
        steered = {one.identity for turn in self.turns.active.values() for one in turn.added}
        for request in self.filter_hosted(self.requests.unfinished_words()):
            if request.identity not in self.answering | steered:
                with self.reporting():
                    self.act(request)

    async def prune(self) -> None:
        """Delete old rows from time to time."""
        while True:
            with self.reporting():
                self.requests.prune()
                self.outbox.prune()
            await asyncio.sleep(PRUNE_SECONDS)
