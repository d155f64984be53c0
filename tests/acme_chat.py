"""Define a plugin for a chat service over HTTP, with only the contract and httpx2."""

import base64
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any

import httpx2

from openkoi_hookspecs import (
    AppRejectedError,
    AppUnavailableError,
    Env,
    Koi,
    Question,
    SignInRequiredError,
)
from openkoi_hookspecs.integrations import (
    Attachment,
    Capabilities,
    Delivery,
    Post,
    PostKind,
    Sender,
    SenderKind,
)

KINDS = {
    "message": PostKind.NEW,
    "edit": PostKind.EDITED,
    "delete": PostKind.DELETED,
    "press": PostKind.PRESS,
    "reaction": PostKind.REACTION,
}


class Chat:
    """``[integrations.acme] base_url, user, token``."""

    capabilities = Capabilities(
        max_text=2_000, threads=True, max_choices=3, max_file=1_000_000, edit_gap=0.0, idempotent=True
    )

    def __init__(
        self, *, base_url: str, user: str = "koi", token: Annotated[str, Env("ACME_TOKEN", secret=True)] = ""
    ) -> None:
        self.base_url, self.user, self.token = base_url, user, token

    async def __aenter__(self) -> "Chat":
        self.http = httpx2.AsyncClient(base_url=self.base_url, timeout=5)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def call(self, method: str, path: str, bucket: str = "", **facts: Any) -> httpx2.Response:
        """Call the service; every failure is an error of the contract."""
        headers = {"authorization": f"Bearer {self.token}"}
        params, body = (facts, None) if method == "GET" else (None, facts)
        try:
            answer = await self.http.request(method, path, headers=headers, params=params, json=body)
        except httpx2.TransportError as error:
            raise AppUnavailableError(f"The chat does not answer: {type(error).__name__}.") from error
        if answer.status_code == 401:
            raise SignInRequiredError("The chat does not accept the token. Run `openkoi connect acme`.")
        if answer.status_code in (429, 503):
            seconds = float(answer.headers.get("retry-after", 0)) or None
            raise AppUnavailableError("The chat is busy.", retry_after=seconds, bucket=bucket)
        if answer.status_code != 200:
            raise AppRejectedError(f"The chat refuses this: {answer.status_code}.")
        return answer

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Poll for updates."""
        after = cursor or str((await self.call("GET", "/now")).json()["seq"])
        yield Delivery(after)
        while True:
            for one in (await self.call("GET", "/updates", after=after)).json():
                after = str(one["seq"])
                yield Delivery(after, self.read(one) if one["type"] in KINDS else None)

    async def commit(self, cursor: str) -> None:
        """Acknowledge updates."""
        await self.call("POST", "/ack", seq=cursor)

    async def send(self, post: Post) -> str:
        """Post."""
        return str((await self.call("POST", "/post", post.channel, **self.written(post))).json()["ts"])

    async def edit(self, post: Post) -> str:
        """Change a post."""
        return str((await self.call("POST", "/edit", ts=post.id, **self.written(post))).json()["ts"])

    async def delete(self, channel: str, id: str) -> None:
        """Delete a post."""
        await self.call("POST", "/edit", ts=id, channel=channel, type="delete", text="")

    async def add_reaction(self, channel: str, id: str, emoji: str) -> None:
        """React to a post."""
        await self.call("POST", "/press", channel=channel, target=id, value=emoji, type="reaction")

    async def remove_reaction(self, channel: str, id: str, emoji: str) -> None:
        """Take a reaction back."""
        await self.call("POST", "/press", channel=channel, target=id, value=emoji, type="reaction_removed")

    async def search_posts(self, text: str, *, limit: int = 20) -> Sequence[Post]:
        """Find posts."""
        return [self.read(one) for one in (await self.call("GET", "/search", text=text)).json()][:limit]

    async def history(self, channel: str, *, thread: str = "", since: str = "", limit: int = 20) -> Sequence[Post]:
        """Read a channel."""
        reply = (await self.call("GET", "/history", channel=channel, thread=thread, limit=limit)).json()
        return [post for post in map(self.read, reply) if post.at >= since]

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Fetch a file."""
        seq, _, n = attachment.ref.partition("/")
        yield (await self.call("GET", "/file", seq=seq, n=n)).content

    async def connect(self, koi: Koi) -> str:
        """Ask for a token, verify it and save it."""
        self.token = await koi.ask(Question("The token of the bot", secret=True)) or ""
        account = str((await self.call("GET", "/me")).json()["user"])
        koi.save_key("acme.token", self.token)
        return account

    def written(self, post: Post) -> dict[str, Any]:
        """Return a post in the service's format."""
        files = [
            {"name": one.name, "type": one.media_type, "data": base64.b64encode(one.data).decode()}
            for one in post.attachments
        ]
        buttons = [[one.label, one.value] for one in post.choices]
        facts = {"channel": post.channel, "text": post.text, "thread": post.thread, "key": post.key}
        return {**facts, "buttons": buttons, "files": files}

    def read(self, one: Mapping[str, Any]) -> Post:
        """Return an update as a post."""
        author = SenderKind.SELF if one["user"] == self.user else SenderKind.PERSON
        return Post(
            one.get("text", ""),
            app="acme",
            account=one["team"],
            channel=one["channel"],
            thread=one.get("thread", ""),
            id=one["ts"],
            revision=str(one["seq"]) if one["type"] != "message" else "",
            reply_to=one.get("target", ""),
            kind=KINDS[one["type"]],
            sender=Sender(one["user"], name=one["user"], kind=author, authenticated=True),
            at=one["at"],
            direct=one["channel"].startswith("dm-"),
            mentioned=f"<@{self.user}>" in one.get("text", ""),
            attachments=tuple(
                Attachment(
                    file["name"],
                    media_type=file["type"],
                    size=len(base64.b64decode(file["data"])),
                    ref=f"{one['seq']}/{n}",
                )
                for n, file in enumerate(one.get("files", ()))
            ),
            choice=one.get("value", ""),
        )
