"""Define a plugin that hosts the chat: a command and two hooks, with only the contract and click."""

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from openkoi_hookspecs import (
    AppUnavailableError,
    Ask,
    Koi,
    KoiError,
    Question,
    Record,
    Task,
    ToolCall,
    events,
    hookimpl,
)
from openkoi_hookspecs.integrations import (
    Choice,
    Delivery,
    Messenger,
    Post,
    PostKind,
    Sender,
    SenderKind,
    SupportsCommit,
)


@hookimpl
def before_tool(call: ToolCall) -> Ask | None:
    """Ask before a file is written."""
    return Ask("This writes a file.") if call.tool == "write_file" else None


@hookimpl
def message_received(message: Post) -> Post:
    """Ignore posts of strangers, and this account's own."""
    return replace(message, dropped=message.sender.kind is not SenderKind.PERSON or "spam" in message.text)


@dataclass(slots=True)
class Host:
    """Hosts an app: each post is journaled before its cursor, handled once, and answered once."""

    koi: Koi
    app: Messenger
    folder: Path
    waiting: dict[str, Post] = field(default_factory=dict)
    working: set[asyncio.Task[None]] = field(default_factory=set)
    journaled: set[str] = field(default_factory=set)
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def journal(self) -> Path:
        """The received posts, and those that are done."""
        return self.folder / "journal.jsonl"

    def note(self, kind: str, identity: str, **facts: str) -> None:
        """Add a line to the journal; it is on the disk when this returns."""
        with self.journal.open("a") as file:
            file.write(json.dumps({"kind": kind, "identity": identity, **facts}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def noted(self) -> list[dict[str, str]]:
        """Read the journal."""
        if not self.journal.exists():
            return []
        return [json.loads(line) for line in self.journal.read_text().splitlines() if line.endswith("}")]

    async def run(self) -> None:
        """Continue with unfinished posts, then handle new ones."""
        noted = self.noted()
        done = {one["identity"] for one in noted if one["kind"] == "done"}
        self.journaled = {one["identity"] for one in noted}
        for one in noted:
            if one["kind"] == "post" and one["identity"] not in done:
                self.start(self.recalled(one))
        cursor = next((one["cursor"] for one in reversed(noted) if "cursor" in one), "")
        watching = asyncio.create_task(self.watch(cursor))
        await asyncio.wait([watching, asyncio.create_task(self.stop.wait())], return_when=asyncio.FIRST_COMPLETED)
        watching.cancel()
        await asyncio.gather(watching, *self.working, return_exceptions=True)

    def recalled(self, one: Mapping[str, str]) -> Post:
        """Return a post in the journal's format."""
        return Post(
            one["text"],
            app="acme",
            channel=one["channel"],
            account=one["account"],
            thread=one["thread"],
            id=one["id"],
            sender=Sender(one["sender"], kind=SenderKind(one["sender_kind"]), authenticated=True),
        )

    async def watch(self, cursor: str) -> None:
        """Watch for posts; after an outage, continue from the last cursor."""
        while True:
            try:
                async with aclosing(self.app.watch(cursor)) as arriving:
                    async for one in arriving:
                        cursor = one.cursor
                        await self.take(one)
            except AppUnavailableError as error:
                await asyncio.sleep(error.retry_after or 0.1)

    async def take(self, one: Delivery) -> None:
        """Journal a delivery with its cursor, acknowledge it, then handle it if it is new."""
        identity = one.post.identity if one.post else ""
        new = bool(one.post) and identity not in self.journaled
        post = one.post or Post("", app="", channel="")
        place = {"channel": post.channel, "account": post.account, "thread": post.thread, "id": post.id}
        sender = {"sender": post.sender.id, "sender_kind": post.sender.kind}
        self.note("post" if new else "seen", identity, cursor=one.cursor, text=post.text, **place, **sender)
        self.journaled.add(identity)
        if isinstance(self.app, SupportsCommit):
            await self.app.commit(one.cursor)
        if new:
            self.start(post)

    def start(self, post: Post) -> None:
        """Handle a post in the background."""
        task = asyncio.create_task(self.act(post))
        self.working.add(task)
        task.add_done_callback(self.working.discard)

    async def act(self, post: Post) -> None:
        """Answer a post, or use a button press as the answer to a question."""
        received = await self.koi.receive(post)
        if received and received.kind is PostKind.PRESS:
            question, _, answer = received.choice.partition(":")
            await self.koi.answer_question(question, answer)
        elif received and received.text == "stop":
            self.stop.set()
        elif received and received.kind is PostKind.NEW:
            await self.answer(received)
        self.note("done", post.identity)

    async def answer(self, post: Post) -> None:
        """Do what a post requests: show a reaction at once, questions as buttons, and the result in its place."""
        reply = Post("Working ...", app=post.app, channel=post.channel, thread=post.thread or post.id)
        id = await self.deliver(replace(reply, key=post.identity, partial=True))
        handle = self.koi.begin(Task(post.text, channel="acme", session=post.conversation))
        self.waiting[handle.id] = post
        try:
            text = (await handle.result()).text
        except KoiError as error:
            text = str(error)
        await self.deliver(replace(reply, text=text, id=id))

    async def deliver(self, post: Post) -> str:
        """Send a post, and retry when the service allows it."""
        while True:
            try:
                return await self.koi.send(post)
            except AppUnavailableError as error:
                await asyncio.sleep(error.retry_after or 0.1)

    def hear(self, record: Record) -> None:
        """Show a question as buttons where its task came from."""
        post = self.waiting.get(record.run)
        if post and isinstance(record.event, events.QuestionAsked):
            choices = tuple(Choice(label, f"{record.event.id}:{label.lower()}") for label in ("Yes", "No"))
            asking = Post(record.event.text, app=post.app, channel=post.channel, thread=post.id, choices=choices)
            self.working.add(asyncio.create_task(self.ask(asking)))

    async def ask(self, post: Post) -> None:
        """Send a question."""
        await self.deliver(post)


@click.group()
def acme() -> None:
    """Chat with OpenKoi."""


@acme.command()
@click.pass_obj
async def serve(koi: Koi) -> None:
    """Answer posts until one contains "stop"."""
    app: Any = await koi.load("integrations", "acme")
    host = Host(koi, app, koi.folder("acme"))
    koi.listen(host.hear)
    await host.run()
    await koi.drain()
    click.echo("stopped")


@acme.command()
@click.pass_obj
async def connect(koi: Koi) -> None:
    """Sign in to the chat, with questions at the terminal."""
    koi.attend(ask_here)
    app: Any = await koi.load("integrations", "acme")
    click.echo(f"Signed in as {await app.connect(koi)}.")


async def ask_here(question: Question) -> str:
    """Ask at the terminal; a secret is not shown."""
    return str(click.prompt(question.text, hide_input=question.secret))
