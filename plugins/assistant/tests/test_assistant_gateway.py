"""What the gateway does again, and what it must not do twice: after errors, races, and apps that are gone."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection

import pytest
from hosted_chat import HostedChat, hosted_chat, until
from test_assistant_full_disk import TURNS, full_at_write

from openkoi_assistant.database import UnwritableError
from openkoi_assistant.hosted_app import AppStatus
from openkoi_assistant.inbox import SCHEDULE, Kind, Request, State
from openkoi_hookspecs import Message, SignInRequiredError, events
from openkoi_hookspecs.integrations import Post, PostKind, Sender, SenderKind

BEN = Sender("ben", name="ben", kind=SenderKind.PERSON, authenticated=True)
GONE = Post("x", app="gone", account="koi", channel="@ben", id="1", sender=BEN, direct=True)
SCHEDULED = replace(GONE, sender=replace(BEN, id=SCHEDULE), id="2")


def kept(post: Post, kind: Kind, state: State = State.NEW, conversation: str = "gone:koi:@ben") -> Request:
    """Return a request that an earlier daemon kept."""
    return Request(post, kind=kind, conversation=conversation, state=state)


@contextmanager
def without_requests(database: Connection) -> Iterator[None]:
    """Let every query of what arrived fail."""
    database.execute("ALTER TABLE requests RENAME TO hidden")
    try:
        yield
    finally:
        database.execute("ALTER TABLE hidden RENAME TO requests")


async def ask(chat: HostedChat) -> Post:
    """Let ann ask for something that needs her approval; return the question."""
    chat.pair("ann")
    await chat.say("please remove the pond")
    question = await chat.question()
    await until(lambda: not chat.unsent())
    return question


@pytest.mark.parametrize(
    "request_kept",
    [
        *(kept(GONE, kind) for kind in Kind),
        kept(GONE, Kind.TASK, State.RUNNING),
        kept(GONE, Kind.TASK, State.WAITING),
        kept(SCHEDULED, Kind.TASK, conversation="schedule:morning"),
    ],
    ids=lambda one: f"{one.kind} {one.state} {one.post.sender.id}",
)
def test_what_came_from_an_app_that_is_gone_waits_and_stops_nothing_else(request_kept: Request, tmp_path: Path) -> None:
    async def host() -> tuple[str, list[str], Request | None]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            chat.gateway.requests.add(request_kept)
            stop = chat.post("stop")
            chat.gateway.requests.add(kept(stop, Kind.STOP, conversation="folder:koi:@ann:ann"))
            await chat.gateway.continue_all()
            await asyncio.gather(*chat.gateway.workers.values(), return_exceptions=True)
            await chat.answer_to(stop)
            found = chat.gateway.requests.find(request_kept.identity)
            return chat.texts()[0], list(chat.gateway.koi.warnings()), found

    text, warnings, found = asyncio.run(host())

    assert "There is nothing to stop." == text
    assert [] == warnings
    assert request_kept == found


def test_a_schedule_whose_app_changed_continues_in_the_new_one(tmp_path: Path) -> None:
    async def host() -> str:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.gateway.requests.add(kept(SCHEDULED, Kind.TASK, conversation="schedule:morning"))
            post = replace(SCHEDULED, app="folder", channel="@ann", id="3")
            chat.gateway.requests.add(kept(post, Kind.TASK, conversation="schedule:morning"))
            await chat.gateway.continue_all()
            return await chat.answer_to(post)

    assert "Paris." == asyncio.run(host())


def test_the_daemon_follows_terminals_also_after_an_error(tmp_path: Path) -> None:
    async def host() -> list[str]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            await until(lambda: chat.gateway.apps["folder"].status is AppStatus.WATCHING)
            others = len(chat.gateway.others)
            with without_requests(chat.gateway.database):
                await until(chat.gateway.koi.warnings, 20)
            assert others == len(chat.gateway.others)
            stop = chat.post("stop")
            chat.gateway.requests.add(kept(stop, Kind.STOP, conversation="folder:koi:@ann:ann"))
            await chat.answer_to(stop)
            return list(chat.gateway.koi.warnings())

    (warning,) = asyncio.run(host())

    assert "no such table: requests" in warning


def test_an_answer_that_fails_for_another_reason_than_the_disk_is_not_tried_again(tmp_path: Path) -> None:
    async def host() -> tuple[list[str], Request | None]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            question = await ask(chat)
            chat.gateway.database.execute("UPDATE outbox SET post = '{' WHERE sent_id = ?", (question.id,))
            press = chat.post("", kind=PostKind.PRESS, reply_to=question.id, choice=question.choices[0].value)
            await chat.take(press)
            await until(chat.gateway.koi.warnings)
            return list(chat.gateway.koi.warnings()), chat.gateway.requests.find(press.identity)

    (warning,), found = asyncio.run(host())

    assert warning.startswith("Error in the assistant: JSONDecodeError")
    assert found
    assert State.DONE is found.state


def test_an_answer_that_is_about_to_be_taken_is_not_taken_a_second_time(tmp_path: Path) -> None:
    async def host() -> tuple[int, str]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            question = await ask(chat)
            before = len(chat.gateway.others)
            await chat.press(question, question.choices[0].value)
            chat.gateway.act_again()
            begun = len(chat.gateway.others) - before
            await until(lambda: "Removed." in chat.texts() and not chat.gateway.answering)
            return begun, next(text for text in chat.texts() if "UTC)" in text)

    begun, asked = asyncio.run(host())

    assert 1 == begun
    assert "Yes (ann" in asked


def test_a_message_that_a_run_has_read_is_not_said_again_when_the_disk_was_full(tmp_path: Path) -> None:
    async def host() -> tuple[int, Request | None]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            await chat.say("an endless task")
            await until(lambda: chat.gateway.turns.active and chat.tasks)
            added = await chat.say("also the pond")
            (turn,) = chat.gateway.turns.active.values()
            assert turn.handle
            last = next(one for one in chat.records if one.run == turn.handle.id)
            read = replace(last, event=events.MessageAdded(Message.user("the pond"), from_user=True))
            with full_at_write(chat.gateway.database, 0), pytest.raises(UnwritableError):
                chat.gateway.turns.hear(read)
            chat.gateway.act_again()
            return len(turn.added), chat.gateway.requests.find(added.identity)

    again, found = asyncio.run(host())

    assert 0 == again
    assert found
    assert State.DONE is found.state


def test_an_app_that_takes_no_post_needs_a_sign_in_until_it_takes_one(tmp_path: Path) -> None:
    async def host() -> list[str]:
        async with hosted_chat(tmp_path, TURNS) as chat:
            chat.pair("ann")
            app = chat.gateway.apps["folder"]
            await until(lambda: app.status is AppStatus.WATCHING)
            chat.gateway.show_refusal("folder", SignInRequiredError("The token was revoked."))
            seen = [f"{app.status} {app.detail}"]
            app.set_status(AppStatus.WATCHING)  # something arrives
            seen.append(f"{app.status} {app.detail}")
            await chat.answer_to(await chat.say("the capital?"))
            return [*seen, app.status]

    refused = "sign-in required The token was revoked."
    assert [refused, refused, "watching"] == asyncio.run(host())
