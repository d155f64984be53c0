"""Call the Bot API: receive updates by long polling (no webhook), and send with its methods."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Self
from zlib import crc32

from openkoi_hookspecs import (
    AppError,
    AppRejectedError,
    AppUnavailableError,
    DataDir,
    Env,
    Json,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.integrations import Attachment, Capabilities, Choice, Delivery, Post
from openkoi_http import AppClient, FormFile, ResponseLimits, Server

from .entities import render_markdown, utf16_length
from .supergroups import Supergroups, find_message, id_of
from .updates import read_update

POLL_SECONDS = 25
# A poll without an answer is a dead connection: it is found after 25 x 11/6 = 46 seconds.
LIMITS = ResponseLimits(idle_seconds=25.0)
KINDS = ["message", "edited_message", "callback_query", "message_reaction"]
SIGN_IN = "Telegram rejected the bot token. Run `openkoi connect telegram`."
ASK_TOKEN = "Token of your bot. To get one, send /newbot to https://t.me/BotFather"
OTHER_POLLER = "Another program is reading this bot's messages. Stop it, or create another bot."
UNCHANGED = "message is not modified"
CAPABILITIES = Capabilities(
    max_text=4096,
    length=utf16_length,
    formats=("markdown", "plain"),
    max_choices=5,
    max_file=50_000_000,
    edit_gap=1.5,
)


class GroupMovedError(AppRejectedError):
    """A group has become a supergroup, which is another ``channel``."""

    def __init__(self, channel: str) -> None:
        super().__init__("The group has become a supergroup.")
        self.channel = channel


class Telegram:
    """A bot. ``channels`` (``[integrations.telegram]``) are the ids of the chats that it works in; if empty, all.

    ``base_url`` is that of a Bot API server of your own.
    """

    capabilities = CAPABILITIES

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("telegram")] = Path(),
        base_url: str = "https://api.telegram.org",
        token: Annotated[str, Env("TELEGRAM_BOT_TOKEN", secret=True)] = "",
        channels: tuple[str, ...] = (),
        poll_seconds: int = POLL_SECONDS,
    ) -> None:
        self.base_url, self.token, self.channels, self.poll_seconds = base_url, token, channels, poll_seconds
        self.me: Mapping[str, Any] = {}
        self.groups = Supergroups(folder / "supergroups.json")
        self.open()

    def open(self) -> None:
        """Create the clients for the token without connecting."""
        self.api = AppClient(f"{self.base_url}/bot{self.token}", bounds=LIMITS, explain=explain)
        self.files = AppClient(f"{self.base_url}/file/bot{self.token}", bounds=LIMITS, explain=explain)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.api.__aexit__()
        await self.files.__aexit__()

    async def call(self, method: str, channel: str = "", **arguments: Json) -> Any:
        """Call a method; rate limits apply per channel."""
        sent = {"chat_id": self.groups.chat_of(channel), **arguments} if channel else arguments
        try:
            return await self.request(method, channel, sent)
        except GroupMovedError as moved:
            if not self.groups.add(channel, moved.channel):
                raise
            return await self.call(method, channel, **arguments)

    async def call_for_message(self, method: str, channel: str, id: str, **arguments: Json) -> None:
        """Call a method for a message; one from before its group became a supergroup can no longer be changed."""
        chat, number = find_message(channel, id)
        await self.request(method, channel, {"chat_id": chat, "message_id": number, **arguments})

    async def request(self, method: str, channel: str, arguments: Mapping[str, Json]) -> Any:
        """Call a method, and return its result."""
        if not self.token:
            raise SignInRequiredError.not_connected("telegram")
        try:
            return result_of(await self.api.call(f"/{method}", arguments))
        except AppUnavailableError as error:
            error.bucket = channel
            raise

    async def who(self) -> Mapping[str, Any]:
        """Return the bot itself."""
        self.me = self.me or await self.call("getMe")
        return self.me

    async def health(self) -> dict[str, str]:
        """Return the name of the bot."""
        self.me = {}
        return {"bot": f"@{(await self.who())['username']}", **self.groups.describe()}

    async def connect(self, koi: Koi) -> str:
        """Ask for the token, verify it, and save it."""
        self.token = (await koi.ask(Question(ASK_TOKEN, secret=True)) or "").strip()
        koi.conceal(self.token, "the Telegram bot token")
        self.me = {}
        self.open()
        name = f"@{(await self.who())['username']}"
        koi.save_key("telegram.token", self.token)
        return name

    # What arrives

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Poll for updates. A poll confirms all before its offset: those are journaled, since they were yielded."""
        me = await self.who()
        if not cursor:
            last = await self.call("getUpdates", offset=-1, timeout=0, allowed_updates=list(KINDS))
            cursor = str(last[-1]["update_id"] + 1) if last else "0"
        yield Delivery(cursor)
        while True:
            updates = await self.call(
                "getUpdates", offset=int(cursor), timeout=self.poll_seconds, allowed_updates=list(KINDS)
            )
            for update in updates:
                cursor = str(update["update_id"] + 1)
                post = self.read(update, me)
                if "callback_query" in update:
                    await self.end_waiting(str(update["callback_query"]["id"]))
                yield Delivery(cursor, post if post and self.is_allowed(post) else None)
            if not updates:
                yield Delivery(cursor)

    def read(self, update: Mapping[str, Any], me: Mapping[str, Any]) -> Post | None:
        """Return the post that an update is; note a group that has become a supergroup."""
        message = update.get("message", {})
        if supergroup := message.get("migrate_to_chat_id"):
            self.groups.add(str(message["chat"]["id"]), str(supergroup))
        if group := message.get("migrate_from_chat_id"):
            self.groups.add(str(group), str(message["chat"]["id"]))
        post = read_update(update, me)
        return self.groups.move(post) if post else None

    def is_allowed(self, post: Post) -> bool:
        """Return whether the bot works in the chat of a post, by the chat's first or current id."""
        return not self.channels or not {post.channel, self.groups.chat_of(post.channel)}.isdisjoint(self.channels)

    async def end_waiting(self, press: str) -> None:
        """Confirm a button press; a press that is too old to confirm still counts."""
        with suppress(AppError):
            await self.call("answerCallbackQuery", callback_query_id=press)

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        found = await self.call("getFile", file_id=attachment.ref)
        async for piece in self.files.download(f"/{found['file_path']}"):
            yield piece

    # What is sent

    async def send(self, post: Post) -> str:
        """Send a message, then its files; return the id of the first. A draft has no id."""
        if post.partial and await self.show_draft(post):
            return ""
        ids: list[str] = []
        if post.text or not post.attachments:
            sent = await self.call("sendMessage", post.channel, **place_in(post), **content_of(post))
            ids.append(id_of(sent, post.channel))
        for file in post.attachments:
            ids.append(await self.send_file(post, file))
        return ids[0]

    async def show_draft(self, post: Post) -> bool:
        """Show a draft for half a minute; return whether this chat supports drafts, as private ones do."""
        if not post.channel.isdecimal() or post.choices or post.attachments:
            return False
        content = {name: value for name, value in content_of(post).items() if name in ("text", "entities")}
        number = crc32(post.key.encode()) or 1
        try:
            place = {"chat_id": int(post.channel), **place_in(post)}  # a number here, elsewhere a text as well
            await self.call("sendMessageDraft", post.channel, draft_id=number, **place, **content)
        except AppRejectedError:
            return False
        return True

    async def send_file(self, post: Post, file: Attachment) -> str:
        """Send a file; return the id of its message."""
        fields = {"chat_id": self.groups.chat_of(post.channel), **place_in(post)}
        form = FormFile("document", file.name, file.media_type, file.data)
        try:
            sent = result_of(await self.api.upload("/sendDocument", fields, [form]))
        except GroupMovedError as moved:
            if not self.groups.add(post.channel, moved.channel):
                raise
            return await self.send_file(post, file)
        except AppUnavailableError as error:
            error.bucket = post.channel
            raise
        return id_of(sent, post.channel)

    async def edit(self, post: Post) -> str:
        """Change a message; ignore that it is unchanged."""
        try:
            await self.call_for_message("editMessageText", post.channel, post.id, **content_of(post))
        except AppRejectedError as error:
            if UNCHANGED not in str(error):
                raise
        return post.id

    async def delete(self, channel: str, id: str) -> None:
        """Delete a message."""
        await self.call_for_message("deleteMessage", channel, id)

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """React to a message."""
        reaction: Json = [{"type": "emoji", "emoji": emoji}]
        await self.call_for_message("setMessageReaction", channel, id, reaction=reaction)

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Remove the reaction."""
        await self.call_for_message("setMessageReaction", channel, id, reaction=[])


def content_of(post: Post) -> dict[str, Json]:
    """Return the content of a message, with its buttons."""
    text, entities = render_markdown(post.text) if post.format == "markdown" else (post.text, [])
    if not text.strip():  # such as an empty code block: Telegram takes no message without text
        text, entities = post.text, []
    return {
        "text": text,
        "entities": list(entities),
        "link_preview_options": {"is_disabled": True},
        "reply_markup": {"inline_keyboard": [[to_button(one)] for one in post.choices]},
    }


def to_button(choice: Choice) -> Json:
    """Return a button in a row of its own."""
    return {"text": choice.label, "callback_data": choice.value}


def place_in(post: Post) -> dict[str, Json]:
    """Return the topic of a message."""
    return {"message_thread_id": int(post.thread)} if post.thread.isdecimal() else {}


def result_of(answer: Json) -> Any:
    """Return the result in a response."""
    return answer["result"] if isinstance(answer, dict) else None


def explain(server: Server, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raise the error that Telegram reports; return None to judge by the HTTP status."""
    try:
        answer = json.loads(body)
        text, facts = str(answer.get("description", "")), answer.get("parameters", {})
        after, moved = float(facts.get("retry_after") or 1), facts.get("migrate_to_chat_id")
    except (ValueError, AttributeError, TypeError):
        return
    if status in (401, 404) and text in ("Unauthorized", "Not Found"):
        raise SignInRequiredError(SIGN_IN)
    if status == 409:
        raise AppUnavailableError(OTHER_POLLER)
    if status == 429:
        raise AppUnavailableError("Telegram rate limit reached.", retry_after=after)
    if moved:
        raise GroupMovedError(str(moved))
    if status in (400, 403):
        raise AppRejectedError(
            f"Telegram rejected the request: {text}", unreadable_format="can't parse entities" in text
        )
    return
