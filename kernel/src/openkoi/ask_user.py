"""Ask the user, through a frontend in this process or through a store from which another process answers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from secrets import token_hex

from openkoi_base.isolation import format_error, resolve, type_error_of
from openkoi_hookspecs import ArgumentError, HookReturn, PendingQuestion, Question, Questions, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

User = Callable[[Question], HookReturn[str]]


@dataclass(eq=False, slots=True)
class AnsweringFrontend:
    """A frontend that answers questions, one at a time, for ``timeout`` seconds each."""

    user: User
    timeout: float | None
    warn: Callable[[str], None]
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def answer(self, question: Question) -> str | None:
        """Return its answer; None if it gives none in time, or fails."""
        async with self.turn:
            try:
                async with asyncio.timeout(self.timeout):
                    answer = await resolve(self.user(question))
                if wrong := type_error_of(answer, str | None):
                    raise ArgumentError(f"its answer is not a string or None: {wrong}")
                return answer
            except TimeoutError:
                return None
            except Exception as error:  # a frontend must not end a run
                self.warn(f"A frontend that answers questions failed: {format_error(error)}.")
                return None


@dataclass(eq=False, slots=True)
class OpenQuestion:
    """A question that is being asked. Without a frontend, it waits for another process to answer."""

    id: str
    question: Question
    wait_seconds: float
    result: asyncio.Future[str | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    asked: dict[AnsweringFrontend, asyncio.Task[str | None]] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None

    def ask_frontends(self, attendants: list[AnsweringFrontend]) -> None:
        """Ask all attending frontends."""
        for attendant in attendants:
            self.ask_frontend(attendant)
        if not attendants:
            self.wait_unattended()

    def ask_frontend(self, attendant: AnsweringFrontend) -> None:
        """Ask one more frontend."""
        if self.timer:
            self.timer.cancel()
        task = asyncio.create_task(attendant.answer(self.question))
        self.asked[attendant] = task
        task.add_done_callback(partial(self.receive_answer, attendant))

    def receive_answer(self, attendant: AnsweringFrontend, task: asyncio.Task[str | None]) -> None:
        """Take the answer of a frontend; end the question if the last frontend has none."""
        self.asked.pop(attendant, None)
        if not task.cancelled() and (task.result() is not None or not self.asked):
            self.settle(task.result())

    def leave(self, attendant: AnsweringFrontend) -> None:
        """Stop asking a frontend that no longer attends."""
        if task := self.asked.pop(attendant, None):
            task.cancel()
            if not self.asked:
                self.wait_unattended()

    def wait_unattended(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(self.wait_seconds, self.settle, None)

    def settle(self, answer: str | None) -> None:
        """Set the answer, unless there is one already."""
        if not self.result.done():
            self.result.set_result(answer)

    async def end(self) -> None:
        """Stop asking."""
        if self.timer:
            self.timer.cancel()
        tasks = list(self.asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(slots=True)
class UserQuestions:
    """Asks the user of one process. In ``store``, if there is one, other processes can answer the questions."""

    store: Callable[[], Awaitable[Questions | None]]
    wait_seconds: float
    warn: Callable[[str], None]
    attendants: list[AnsweringFrontend] = field(default_factory=list)
    open: list[OpenQuestion] = field(default_factory=list)

    def attend(self, user: User, timeout: float | None) -> Callable[[], None]:
        """Add a frontend; return a function that removes it."""
        attendant = AnsweringFrontend(user, timeout, self.warn)
        self.attendants.append(attendant)
        for question in self.open:
            question.ask_frontend(attendant)
        return partial(self.leave, attendant)

    def leave(self, attendant: AnsweringFrontend) -> None:
        """Remove a frontend."""
        if attendant in self.attendants:
            self.attendants.remove(attendant)
            for question in self.open:
                question.leave(attendant)

    async def ask(self, waiting: PendingQuestion, *, stays: bool = False) -> str | None:
        """Return the first answer; without one, return None and withdraw the question unless it ``stays`` for a resume.

        One that stays can be answered until its run has ended, and is then deleted.
        """
        store, answer = await self.put(waiting)
        try:
            if answer is None:
                answer = await self.first_answer(waiting, store)
        finally:
            asked_elsewhere = any(one.id == waiting.id for one in self.open)
            if store and not asked_elsewhere and not (stays and answer is None):
                await store.remove(waiting.id)
        return answer

    async def put(self, waiting: PendingQuestion) -> tuple[Questions | None, str | None]:
        """Store a question for other processes to answer; return the store, and the answer if it already has one."""
        store = None if waiting.question.secret else await self.store()
        try:
            return store, await store.put(waiting) if store else None
        except Exception as error:  # the store is a plugin: frontends here can still answer
            self.warn(f"Questions cannot be answered from another process: {format_error(error)}.")
            return None, None

    async def first_answer(self, waiting: PendingQuestion, store: Questions | None) -> str | None:
        """Ask in this process and elsewhere; return the first answer."""
        question = OpenQuestion(waiting.id, waiting.question, self.wait_seconds)
        self.open.append(question)
        elsewhere = asyncio.create_task(self.hear_elsewhere(waiting.id, question, store)) if store else None
        try:
            question.ask_frontends(self.attendants)
            return await question.result
        finally:
            self.open.remove(question)
            if elsewhere:
                elsewhere.cancel()
            await question.end()

    async def hear_elsewhere(self, id: str, question: OpenQuestion, store: Questions) -> None:
        """Wait for an answer from another process."""
        try:
            question.settle(await store.wait(id))
        except Exception as error:  # the store is a plugin
            self.warn(f"Questions cannot be answered from another process: {format_error(error)}.")


def pending_question(question: Question, redact: Callable[[str], str], run: Run | None = None) -> PendingQuestion:
    """Return a question as the user sees it, without secrets; if there is no run, a program asks it.

    Its id stays the same when the same run asks it again.
    """
    shown, now = replace(question, text=redact(question.text)), datetime.now(UTC).isoformat()
    if run is None:
        return PendingQuestion(token_hex(6), "", now, shown)
    id = sha256(f"{run.id} {shown.identity}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return PendingQuestion(id, run.id, now, shown, outermost=run.outermost, session=run.task.session)
