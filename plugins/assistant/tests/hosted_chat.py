"""Host a chat within this process, so that hundreds of cases cost one start: a gateway on the whole of OpenKoi."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from selectors import DefaultSelector, SelectorKey

from cli_process import CLEARED, write_script

from openkoi.open_app import open_app
from openkoi_assistant.database import open_database
from openkoi_assistant.gateway import Gateway
from openkoi_assistant.user_pairing import Role
from openkoi_hookspecs import Record, Task, events
from openkoi_hookspecs.integrations import Delivery, Documents, Messenger, Post, PostKind, Sender, SenderKind
from openkoi_testing.apps import FolderApp

SETTINGS: Mapping[str, object] = {
    "evaluators.judge.enabled": False,
    "iteration.max_iterations": 0,
    "use.sandbox": "plain",
    "use.checkpoints": "",
}


@dataclass(slots=True)
class Hosted:
    """A gateway. ``records`` are all that happened in its tasks."""

    gateway: Gateway
    records: list[Record]

    @property
    def model_calls(self) -> int:
        """How often a model was asked."""
        return sum(isinstance(one.event, events.ModelResponse) for one in self.records)

    @property
    def tasks(self) -> list[Task]:
        """The tasks that were begun."""
        return [one.event.task for one in self.records if isinstance(one.event, events.TaskStarted)]

    def unsent(self) -> int:
        """Return how many posts are still to be sent."""
        counts = self.gateway.outbox.counts()
        return counts.get("queued", 0) + counts.get("sending", 0)


@dataclass(slots=True)
class HostedChat(Hosted):
    """A chat that is a folder, and its gateway."""

    app: FolderApp
    count: int = 0

    def pair(self, user: str, role: Role = Role.OWNER) -> None:
        """Pair a user."""
        code = self.gateway.members.create_code("folder", role)
        self.gateway.members.pair(self.post(code, by=user))

    def post(self, text: str, *, by: str = "ann", channel: str = "", **more: object) -> Post:
        """Return a post of a user as the app delivers it, with an id of its own."""
        self.count += 1
        place = channel or f"@{by}"
        sender = Sender(by, name=by, kind=SenderKind.PERSON, authenticated=True)
        made = Post(text, app="folder", account="koi", channel=place, id=f"in{self.count}", sender=sender)
        return replace(made, direct=place.startswith("@"), **more)  # type: ignore[arg-type]  # what a test says

    async def take(self, post: Post) -> None:
        """Deliver a post."""
        await self.gateway.take("folder", Delivery("0", post))

    async def say(self, text: str, *, by: str = "ann", channel: str = "", **more: object) -> Post:
        """Let a user write; return the post."""
        post = self.post(text, by=by, channel=channel, **more)
        await self.take(post)
        return post

    async def press(self, post: Post, value: str, *, by: str = "ann") -> None:
        """Press a button of a post."""
        await self.say("", by=by, channel=post.channel, kind=PostKind.PRESS, reply_to=post.id, choice=value)

    async def react(self, post: Post, emoji: str, *, by: str = "ann") -> None:
        """React to a post."""
        await self.say("", by=by, channel=post.channel, kind=PostKind.REACTION, reply_to=post.id, choice=emoji)

    def sent(self, channel: str = "@ann") -> list[Post]:
        """Return what is in a channel."""
        return [one for one in self.app.current_posts() if one.channel == channel]

    def texts(self, channel: str = "@ann") -> list[str]:
        """Return the texts that are in a channel."""
        return [one.text for one in self.sent(channel)]

    async def answer_to(self, post: Post) -> str:
        """Wait until a request is done; return its answer."""
        await until(lambda: self.is_done(post))
        found = self.gateway.requests.find(post.identity)
        return found.answer if found else ""

    def is_done(self, post: Post) -> bool:
        """Return whether a request is done, and its answer was sent."""
        found = self.gateway.requests.find(post.identity)
        return bool(found and found.state == "done" and not self.unsent())

    async def question(self, channel: str = "@ann") -> Post:
        """Wait for a post with buttons; return the last one."""
        await until(lambda: any(one.choices for one in self.sent(channel)))
        return next(one for one in reversed(self.sent(channel)) if one.choices)


class SkippingSelector(DefaultSelector):
    """Waits no time where ``skips``: what would be waited has passed at once."""

    skips = False
    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Return what is ready; count the time that is not waited."""
        if not self.skips or timeout is None:
            return super().select(timeout)
        self.passed += max(0.0, timeout)
        return super().select(0.0)


class SkippingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to what comes next, so that an hour takes a moment."""

    def __init__(self) -> None:
        self.selector = SkippingSelector()
        super().__init__(self.selector)

    def time(self) -> float:
        """Return the time, with what was skipped."""
        return super().time() + self.selector.passed

    @contextmanager
    def skip(self) -> Iterator[None]:
        """Skip all waiting, as long as this is entered and no thread works."""
        self.selector.skips = True
        yield
        self.selector.skips = False


async def until(check: Callable[[], object], seconds: float = 110.0) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(seconds):
        while not check():  # noqa: ASYNC110  # what is checked is a database, too
            await asyncio.sleep(0.01)


@asynccontextmanager
async def hosted_chat(folder: Path, turns: str, **variables: str) -> AsyncIterator[HostedChat]:
    """Host a chat that is a folder, with a scripted model, as a daemon does."""
    chat = folder / "chat"
    chat.mkdir()
    async with hosted_app(folder, turns, "folder", {"path": str(chat)}, **variables) as hosted:
        app = hosted.gateway.messenger("folder")
        assert isinstance(app, FolderApp)
        yield HostedChat(hosted.gateway, hosted.records, app)


@asynccontextmanager
async def hosted_app(
    folder: Path, turns: str, name: str, options: Mapping[str, object], **variables: str
) -> AsyncIterator[Hosted]:
    """Host an app that is configured so, with a scripted model, as a daemon does."""
    work = folder / "work"
    work.mkdir()
    write_script(folder, turns)
    kept = {name: value for name, value in os.environ.items() if not CLEARED.match(name)}
    environment = {**kept, "OPENKOI_HOME": str(folder / "home"), "HOME": str(folder), **variables}
    settings = {
        **SETTINGS,
        "models.default": f"scripted/{folder / 'script.yaml'}",
        **{f"integrations.{name}.{key}": value for key, value in options.items()},
    }
    koi = open_app(work, environment=environment, settings=settings)
    async with koi:
        with closing(open_database(koi.folder("assistant"))) as database:
            hosted = Hosted(Gateway(koi, database, 8), [])
            app = await koi.load("integrations", name)
            assert isinstance(app, Messenger | Documents)
            hosted.gateway.host(name, app)
            koi.listen(hosted.records.append)
            stop = asyncio.Event()
            running = asyncio.create_task(hosted.gateway.run(stop))
            try:
                yield hosted
            finally:
                stop.set()
                await running
