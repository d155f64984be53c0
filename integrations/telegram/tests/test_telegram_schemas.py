"""Test that the app's calls and the fake's answers match the description of the Bot API."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from data_files import schema_errors

from openkoi_hookspecs.integrations import Attachment, Choice, Delivery, Post
from openkoi_telegram import Telegram
from openkoi_testing.servers import TelegramServer
from openkoi_testing.servers.http_server import ServerResponse

GROUP = -100
METHODS = {
    *("getMe", "getUpdates", "sendMessage", "editMessageText", "deleteMessage", "sendDocument"),
    *("sendMessageDraft", "answerCallbackQuery", "setMessageReaction", "getFile"),
}


class CheckedServer(TelegramServer):
    """A fake that checks each call, and its answer, by the published schemas."""

    def __init__(self) -> None:
        super().__init__()
        self.checked: set[str] = set()
        self.problems: list[str] = []

    def answer_call(self, method: str, arguments: dict[str, Any]) -> ServerResponse:
        """Check a call and what it returns."""
        response = super().answer_call(method, arguments)
        result = json.loads(b"".join(response.pieces))["result"]
        found = schema_errors("telegram", f"{method}.arguments", as_json(method, arguments))
        found += schema_errors("telegram", f"{method}.result", result)
        self.problems += [f"{method}: {one}" for one in found]
        self.checked.add(method)
        return response


def as_json(method: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; a file in a form has no JSON."""
    return {**arguments, "document": ""} if method == "sendDocument" else arguments


async def use(server: TelegramServer) -> list[Post]:
    """Use all functions of the app; return what arrived."""
    async with Telegram(base_url=server.url, token=server.token, poll_seconds=5) as app:
        watching = app.watch("0")
        first = server.say("@koi_test_bot hello", chat=GROUP, entities=[{"type": "mention", "offset": 0, "length": 13}])
        server.say("", caption="a file", document=server.keep_file("pond.txt", "text/plain", b"koi"))
        server.say("forwarded", forward_origin={"type": "hidden_user", "sender_user_name": "eve", "date": 1})
        server.change(GROUP, first, "@koi_test_bot hello again")
        posts = await receive(watching, 4)
        id = await app.send(question(str(first)))
        server.press(GROUP, int(id), "token:0")
        server.react(GROUP, int(id), "\U0001f44d")
        posts += await receive(watching, 2)
        await write(app, id)
        (there,) = next(one.attachments for one in posts if one.attachments)
        assert b"koi" == b"".join([piece async for piece in app.download(there)])
        await watching.aclose()
    return posts


def question(about: str) -> Post:
    """Return a question with buttons."""
    choices = (Choice("Yes", "token:0"), Choice("No", "token:1"))
    text = "**bold** `code` [koi](https://koi.example)"
    return Post(text, app="telegram", channel=str(GROUP), reply_to=about, choices=choices, format="markdown")


async def write(app: Telegram, id: str) -> None:
    """Send a draft and a file; change the message of an id, react to it, and delete it."""
    await app.send(Post("a draft", app="telegram", channel="7", partial=True, key="a"))
    file = Attachment("answer.md", media_type="text/markdown", data=b"# Koi")
    await app.send(Post("", app="telegram", channel=str(GROUP), attachments=(file,)))
    await app.edit(Post("changed", app="telegram", channel=str(GROUP), id=id))
    await app.add_reaction(str(GROUP), id, "\U0001f440")
    await app.delete(str(GROUP), id)


async def receive(watching: AsyncGenerator[Delivery, None], count: int) -> list[Post]:
    """Wait for a number of posts."""
    posts: list[Post] = []
    while len(posts) < count:
        delivery = await anext(watching)
        posts += [delivery.post] if delivery.post else []
    return posts


def test_calls_and_answers_are_what_the_description_of_the_bot_api_says() -> None:
    with CheckedServer() as server:
        posts = asyncio.run(use(server))

    assert [] == server.problems
    assert server.checked == METHODS
    assert 6 == len(posts)
