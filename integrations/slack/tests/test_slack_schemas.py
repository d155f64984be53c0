"""Test that the app's calls and the fake's answers match Slack's published description of the Web API."""

import asyncio
import json
from typing import Any

from data_files import schema_errors

from openkoi_hookspecs.integrations import Attachment, Choice, Document, Post
from openkoi_slack import Slack
from openkoi_testing.servers import SlackServer
from openkoi_testing.servers.http_server import ServerResponse

POND = "C0000POND"
PUBLISHED = {
    *("auth.test", "chat.postMessage", "chat.update", "chat.delete", "reactions.add", "reactions.remove"),
    *("conversations.history", "conversations.replies", "users.conversations", "files.info", "files.list"),
}
NEWER = {  # than the description, which is of 2021: Slack's own SDK takes the fake's for Slack's
    *("apps.connections.open", "files.getUploadURLExternal", "files.completeUploadExternal"),
    *("canvases.create", "canvases.edit", "canvases.getContent"),
    *("chat.startStream", "chat.appendStream", "chat.stopStream"),
}


class CheckedServer(SlackServer):
    """A fake that checks each call, and its answer, by the published schemas."""

    def __init__(self) -> None:
        super().__init__()
        self.checked: set[str] = set()
        self.problems: list[str] = []

    def answer_call(self, method: str, token: str, arguments: dict[str, Any]) -> ServerResponse:
        """Check a call and what it returns."""
        response = super().answer_call(method, token, arguments)
        if method not in NEWER:
            found = schema_errors("slack", f"{method}.arguments", as_form(arguments))
            answer = json.loads(b"".join(response.pieces))
            found += schema_errors("slack", f"{method}.result", answer) if answer["ok"] else []
            self.problems += [f"{method}: {one}" for one in found]
        self.checked.add(method)
        return response


def as_form(arguments: dict[str, Any]) -> dict[str, str]:
    """Return the arguments in a sent form."""
    return {name: one if isinstance(one, str) else json.dumps(one) for name, one in arguments.items()}


async def use(server: SlackServer) -> list[str]:
    """Use all functions of the app; return the texts that arrived."""
    texts: list[str] = []
    given: dict[str, Any] = {"base_url": f"{server.url}/api", "files_url": server.url, "token": server.token}
    async with Slack(**given, app_token=server.app_token) as app:
        root = server.say("a question", channel=POND)
        since = f"{float(root) - 1:.6f}"
        server.say("its answer", channel=POND, thread_ts=root)
        file = server.keep_file("pond.txt", "text/plain", b"koi")
        server.say("with a file", channel=POND, files=[file], subtype="file_share")
        server.say("and directly")
        watching = app.watch(since)
        while len(texts) < 4:
            delivery = await anext(watching)
            texts += [delivery.post.text] if delivery.post else []
        await watching.aclose()
        await write(app, root)
        await app.history(POND)
        await app.history(POND, thread=root)
        canvas = await app.write_document(Document("# Koi", title="Pond", folder=POND))
        await app.write_document(Document("# Red", id=canvas.id, title="Lake", revision=canvas.revision))
        await app.list_documents(POND)
        await app.search_documents("lake")
        await app.read_document(file["id"])
        await app.health()
    return texts


async def write(app: Slack, root: str) -> None:
    """Send every kind of message; change, react to and delete them."""
    choices = (Choice("Yes", "token:0"), Choice("No", "token:1"))
    post = Post("**bold**", app="slack", channel=POND, thread=root, format="markdown")
    id = await app.send(Post("**bold**", app="slack", channel=POND, choices=choices, format="markdown"))
    await app.edit(Post("changed", app="slack", channel=POND, id=id))
    await app.add_reaction(POND, id, "\U0001f440")
    await app.remove_reaction(POND, id, "\U0001f440")
    await app.delete(POND, id)
    begun = Post("so", app="slack", channel=POND, thread=root, partial=True, recipients=("U0000ANN",))
    stream = await app.send(begun)
    await app.edit(Post("so far", app="slack", channel=POND, thread=root, id=stream, partial=True))
    await app.edit(Post("the whole", app="slack", channel=POND, thread=root, id=stream))
    await app.send(post)
    await app.send(Post("", app="slack", channel=POND, attachments=(Attachment("a.md", data=b"# Koi"),)))


def test_calls_and_answers_are_what_the_description_of_the_web_api_says() -> None:
    with CheckedServer() as server:
        texts = asyncio.run(use(server))

    assert [] == server.problems
    assert server.checked == PUBLISHED | NEWER
    assert ["a question", "its answer", "with a file", "and directly"] == texts


EVENTS = {  # of Slack's own types; the socket's envelope has none, and is read by Slack's SDK in test_slack.py
    ("app_mention", ""): "AppMentionEvent",
    ("message", ""): "GenericMessageEvent",
    ("message", "bot_message"): "BotMessageEvent",
    ("message", "file_share"): "FileShareMessageEvent",
    ("message", "me_message"): "MeMessageEvent",
    ("message", "message_changed"): "MessageChangedEvent",
    ("message", "message_deleted"): "MessageDeletedEvent",
    ("message", "thread_broadcast"): "ThreadBroadcastMessageEvent",
    ("reaction_added", ""): "ReactionAddedEvent",
}
PAYLOADS = {"events_api": "EventsApiPayload", "interactive": "ButtonPressPayload"}


class EventServer(SlackServer):
    """A fake that checks everything it delivers: events, envelopes and button presses."""

    def __init__(self) -> None:
        super().__init__()
        self.checked: set[str] = set()
        self.problems: list[str] = []

    def deliver_event(self, event: dict[str, Any]) -> None:
        """Check an event, and deliver it."""
        self.check(EVENTS[event["type"], event.get("subtype", "")], event)
        super().deliver_event(event)

    def deliver(self, kind: str, payload: dict[str, Any]) -> None:
        """Check what an envelope contains, and deliver it."""
        self.check(PAYLOADS[kind], payload)
        for action in payload.get("actions", ()):
            self.check("ButtonAction", action)
        super().deliver(kind, payload)

    def check(self, name: str, value: object) -> None:
        """Record what a type rejects."""
        self.checked.add(name)
        self.problems += [f"{name}: {one}" for one in schema_errors("slack_events", name, value)]


def test_events_and_presses_are_what_the_types_of_slack_say() -> None:
    with EventServer() as server:
        let_users_act(server)

    assert [] == server.problems
    assert {*EVENTS.values(), *PAYLOADS.values(), "ButtonAction"} == server.checked


def let_users_act(server: SlackServer) -> None:
    """Let users do everything that causes an event."""
    root = server.say("a question", channel=POND)
    server.say("<@U0000KOI> hello", channel=POND, thread_ts=root)
    server.say("directly")
    file = server.keep_file("pond.txt", "text/plain", b"koi")
    server.say("with a file", channel=POND, files=[file], subtype="file_share")
    server.say("waves", channel=POND, subtype="me_message")
    server.say("also here", channel=POND, thread_ts=root, subtype="thread_broadcast")
    server.say("of a program", channel=POND, user="B1", bot_id="B1", subtype="bot_message")
    server.change(POND, root, "changed")
    server.react(POND, root, "eyes")
    server.do_chat_postMessage(POND, "an answer")
    label = {"type": "plain_text", "text": "Yes"}
    button = {"type": "button", "action_id": "choice-0", "text": label, "value": "token:0"}
    asked = server.do_chat_postMessage(POND, "a question", [{"type": "actions", "elements": [button]}])
    server.press(POND, asked["ts"], "token:0")
    server.erase(POND, root)
