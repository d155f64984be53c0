"""What must never happen, in the numbers that were promised, in each app as its service sends and gets it."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from app_users import APPS, AppUsers, SlackUsers, TelegramUsers
from hosted_chat import Hosted, hosted_app, until
from planted_words import INJECTIONS, make_secret

from openkoi_assistant.app_tools import SECRET, build_tools
from openkoi_assistant.daemon import write_state
from openkoi_assistant.daemon_files import daemon_files
from openkoi_assistant.hosted_app import AppStatus
from openkoi_assistant.outbox import Outgoing
from openkoi_assistant.prompts import DATA
from openkoi_assistant.user_pairing import Role
from openkoi_hookspecs import File, ToolError
from openkoi_hookspecs.integrations import Attachment, Choice, Post
from openkoi_testing.servers import NotionServer, TelegramServer

TURNS = """\
  - when: {contains: summary}
    says: A summary.
    repeat: true
  - when: {last: remove}
    calls: [{tool: run_command, arguments: {command: "rm -rf /etc/koi-pond"}}]
    repeat: true
  - when: {contains: remove}
    says: Removed.
    repeat: true
  - says: Noted.
    repeat: true
"""
Story = Callable[[Hosted, AppUsers], Awaitable[None]]
each_app = pytest.mark.parametrize("app", [*APPS])
SLOW = "matrix"  # a homeserver takes its time
each_quick_app = pytest.mark.parametrize(
    "app", [pytest.param(one, marks=pytest.mark.campaign) if one == SLOW else one for one in APPS]
)


def play(folder: Path, app: str, story: Story) -> None:
    """Let a story happen in an app: ann is the owner, ben and cleo are members, eve is a stranger."""

    async def host(users: AppUsers) -> None:
        async with hosted_app(folder, TURNS, app, users.options, **users.variables) as hosted:
            await until(lambda: hosted.gateway.apps[app].status is AppStatus.WATCHING)
            for user, role in (("ann", Role.OWNER), ("ben", Role.MEMBER), ("cleo", Role.MEMBER)):
                code = hosted.gateway.members.create_code(app, role)
                await asyncio.to_thread(users.say, code, by=user)
                await until(lambda: not hosted.gateway.members.is_pairing(app))
            await story(hosted, users)

    (folder / "service").mkdir()
    with APPS[app](folder / "service") as users:
        asyncio.run(host(users))


def rows(hosted: Hosted, query: str) -> list[str]:
    """Return the first column of what a query of the database finds."""
    return [str(row[0]) for row in hosted.gateway.database.execute(query)]


async def answers(hosted: Hosted, count: int) -> list[str]:
    """Wait until so many tasks are done and their answers sent; return those."""
    query = "SELECT answer FROM requests WHERE kind = 'task' AND state = 'done'"
    await until(lambda: len(rows(hosted, query)) >= count and not hosted.unsent(), 300)
    return rows(hosted, query)


@each_app
@pytest.mark.timeout(600)
def test_forty_facts_of_three_users_and_their_team_are_known_in_no_other_place(tmp_path: Path, app: str) -> None:
    async def story(hosted: Hosted, users: AppUsers) -> None:
        facts = {place: [f"{place}fact{n}x" for n in range(10)] for place in ("ann", "ben", "cleo", "team")}
        roots: dict[str, str] = {}
        asked = 0
        for question in ("Remember for {0}place: {1}", "Which codes do you know in {0}place?"):
            for again in (True, False) if roots else (False,):  # in the thread, and in a new one
                for place, known in facts.items():
                    user, is_team = ("ben" if roots else "ann", True) if place == "team" else (place, False)
                    thread = roots[place] if again and app != "telegram" else ""
                    text = question.format(place, ", ".join(known))
                    roots.setdefault(place, "")
                    said = await asyncio.to_thread(users.say, text, by=user, team=is_team, thread=thread)
                    roots[place] = roots[place] or said
                    asked += 1
                    assert ["Noted."] * asked == await answers(hosted, asked)
        await hosted.gateway.koi.drain()
        check_places(hosted, facts)

    play(tmp_path, app, story)


def check_places(hosted: Hosted, facts: Mapping[str, Sequence[str]]) -> None:
    """Check that sessions know the facts of their own place, and of no other one."""
    folder = hosted.gateway.koi.folder("sessions")
    sessions = [one.read_text() for one in folder.rglob("*") if one.is_file()]
    for place, known in facts.items():
        own = [one for one in sessions if f"{place}place" in one]
        assert own
        assert all(sum(one.count(fact) for one in own) >= 2 for fact in known)  # said, and known when asked
        others = [fact for other in facts.keys() - {place} for fact in facts[other]]
        assert [] == [fact for fact in others for one in own if fact in one]


@each_quick_app
@pytest.mark.timeout(600)
def test_a_hundred_secrets_leave_by_none_of_the_ways_out_of_an_app(tmp_path: Path, app: str) -> None:
    async def story(hosted: Hosted, users: AppUsers) -> None:
        chance, koi, outbox = random.Random(2127), hosted.gateway.koi, hosted.gateway.outbox
        secrets = [make_secret(n, chance) for n in range(100)]
        for secret in secrets:
            if secret.startswith("the user's own"):
                koi.conceal(secret, "a password")
        tools = {one.name: one for one in build_tools(app, hosted.gateway.messenger(app), koi)}
        channel = users.channel("ann")
        for n in range(0, 100, 5):  # five to a post, so that it is quick
            some = secrets[n : n + 5]
            text = "\n".join(some)
            file = Attachment(f"{some[0]}.txt", data=f"in a file: {text}".encode())
            choices = tuple(Choice(f"Send {one}", f"value{n}") for one in some)
            post = Post(f"an answer {text}", app=app, channel=channel, key=f"{n}", format="markdown")
            outbox.put(Outgoing(post))
            outbox.put(Outgoing(replace(post, text=f"edited {text}", key=f"{n}/edit"), replaces=f"{n}"))
            outbox.put(Outgoing(replace(post, attachments=(file,), key=f"{n}/file")))
            outbox.put(Outgoing(replace(post, text=f"asked {text}", choices=choices, key=f"{n}/question")))
            await tools[f"{app}_send"].call({"target": channel, "message": f"by a tool: {text}"})
            koi.warn(f"a warning with {text}")
            if f"{app}_write_doc" in tools:
                await refuse_to_write(tools[f"{app}_write_doc"].call, some)
        outbox.wake(app)
        await until(lambda: not hosted.unsent(), 300)
        write_state(daemon_files(koi), hosted.gateway, "now")
        out = await asyncio.to_thread(users.taken)
        home = [one.read_bytes().decode(errors="replace") for one in (tmp_path / "home").rglob("*") if one.is_file()]

        ways = ("an answer ", "edited ", "asked ", "by a tool: ", "in a file: ")
        assert not [words for words in ways if out.count(words) < 20]
        assert [] == [secret for secret in secrets for text in (out, *home) if secret in text]

    play(tmp_path, app, story)


async def refuse_to_write(write: Callable[..., Awaitable[object]], secrets: Sequence[str]) -> None:
    """Check that no document is written with a secret, in its content or its title."""
    for secret in secrets:
        for words in ({"content": secret}, {"content": "x", "title": secret}):
            with pytest.raises(ToolError, match="contains a secret") as refused:
                await write(words)
            assert str(refused.value) == SECRET


def test_a_hundred_secrets_are_in_no_page_of_notion(tmp_path: Path) -> None:
    async def story(server: NotionServer) -> None:
        chance = random.Random(2127)
        options = {"base_url": f"{server.url}/v1", "parent": server.root}
        async with hosted_app(tmp_path, TURNS, "notion", options, NOTION_API_KEY=server.token) as hosted:
            koi = hosted.gateway.koi
            tools = {one.name: one for one in build_tools("notion", hosted.gateway.libraries["notion"].app, koi)}
            secrets = [make_secret(n, chance) for n in range(100)]
            for secret in secrets:
                if secret.startswith("the user's own"):
                    koi.conceal(secret, "a password")
            await refuse_to_write(tools["notion_write_doc"].call, secrets)
            await tools["notion_write_doc"].call({"content": "The koi are hungry.", "title": "Minutes"})

    with NotionServer() as server:
        asyncio.run(story(server))

        assert ["The koi are hungry."] == [text for text in server.markdown.values() if text]
        assert 1 == sum(one.method == "POST" for one in server.requests)


@each_quick_app
@pytest.mark.timeout(600)
def test_sixty_injections_by_message_quote_file_and_history_of_an_app_give_no_order(tmp_path: Path, app: str) -> None:
    async def story(hosted: Hosted, users: AppUsers) -> None:
        def say_all(texts: Sequence[str]) -> None:
            for text in texts:
                users.say(text, by="eve")
                root = users.say(text, by="eve", team=True)
                users.say("a summary please", team=True, quoted=text)
                users.say("a summary please", team=True, file=text)
                users.say("a summary please", team=True, thread=root)

        await asyncio.to_thread(users.say, "please remove the pond")
        await until(lambda: rows(hosted, "SELECT code FROM questions"))
        await until(lambda: not hosted.unsent())
        (code,) = rows(hosted, "SELECT code FROM questions")
        texts = [text.format(code=code) for text in INJECTIONS]
        waiting = await hosted.gateway.koi.pending_questions()
        await asyncio.to_thread(say_all, texts)
        done = await answers(hosted, 45)
        first, *tasks = hosted.tasks

        assert ["A summary."] * 45 == done
        assert "please remove the pond" == first.text
        assert ["a summary please"] * 45 == [task.text for task in tasks]
        for text in texts:
            quoted = [task for task in tasks if text in task.context and task.context.startswith(DATA)]
            files = [part.data.decode() for task in tasks for part in task.parts if isinstance(part, File)]
            assert len(quoted) >= 2  # by a quote and by the history
            assert text in [one.strip() for one in files]
        assert waiting == await hosted.gateway.koi.pending_questions()
        assert 1 == len(rows(hosted, "SELECT code FROM questions"))
        assert "Removed." not in await asyncio.to_thread(users.taken)

    play(tmp_path, app, story)


def test_a_task_is_done_also_where_its_thread_and_its_file_were_deleted(tmp_path: Path) -> None:
    """The model is told what it cannot read, and of the file no byte."""

    async def story(hosted: Hosted, users: AppUsers) -> None:
        assert isinstance(users, SlackUsers)
        server, channel = users.server, "C0000POND"
        root = server.say("a question of another user", channel=channel, user="U0000BEN")
        file = server.keep_file("pond.txt", "text/plain", b"koi")
        server.erase(channel, root)
        del server.files[file["id"]]
        server.say("<@U0000KOI> hello", channel=channel, user="U0000ANN", thread_ts=root, files=[file])
        assert ["Noted."] == await answers(hosted, 1)
        assert "[earlier messages could not be read] Slack rejected" in hosted.tasks[0].context
        assert "[files not read: empty, deleted, too large or too many] pond.txt" in hosted.tasks[0].context

    play(tmp_path, "slack", story)


@pytest.mark.parametrize("moment", ["before it is asked", "after it is asked"])
def test_a_group_becomes_a_supergroup_in_the_middle_of_a_task(tmp_path: Path, moment: str) -> None:
    """Its question is answered by a button wherever it is, its answer arrives, and the conversation continues."""

    async def story(hosted: Hosted, users: AppUsers) -> None:
        assert isinstance(users, TelegramUsers)
        server, group, supergroup = users.server, -100, -1001
        if moment == "before it is asked":
            server.moved[group] = supergroup  # its update has not arrived yet
        await asyncio.to_thread(users.say, "remove the pond", team=True)
        await until(lambda: bool(questions_in(server, group) + questions_in(server, supergroup)))
        if moment == "after it is asked":
            server.upgrade(group, supergroup)
        (asked,) = questions_in(server, group) + questions_in(server, supergroup)
        place, id = asked["chat"]["id"], asked["message_id"]
        data = asked["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        await asyncio.to_thread(partial(server.press, place, id, data, user=users.id("ann")))
        assert 1 == len(await answers(hosted, 1))
        mention = [{"type": "mention", "offset": 0, "length": len("@koi_test_bot")}]
        server.say("@koi_test_bot hello", user=users.id("ann"), name="ann", chat=supergroup, entities=mention)
        assert 2 == len(await answers(hosted, 2))
        tasks = "SELECT DISTINCT conversation FROM requests WHERE kind = 'task'"
        assert [f"telegram:123456789:{group}"] == rows(hosted, tasks)
        assert ["Removed."] * 2 == await answers(hosted, 2)  # the second one knows the first
        assert "Removed." == server.list_sent(supergroup)[-1]["text"]

    play(tmp_path, "telegram", story)


def questions_in(server: TelegramServer, chat: int) -> list[dict[str, Any]]:
    """Return the messages of the bot that have buttons."""
    return [one for one in server.list_sent(chat) if one.get("reply_markup")]
