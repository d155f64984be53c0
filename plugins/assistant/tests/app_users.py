"""What the users of each app do in it, and all that its service got from the assistant."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

from mail_server import PASSWORD, MailServers, run_mail_servers
from synapse_server import Synapse, User, run_synapse

from openkoi_testing.servers import SlackServer, TelegramServer

NAMES = ("ann", "ben", "cleo", "eve")
KOI, PASSED = "koi@koi.test", "mx.koi.test; dmarc=pass header.from=koi.test"
FILE = "a.txt"


class AppUsers(ABC):
    """Users who write to the assistant alone, and in a team of them all, where they name it."""

    app: str
    options: Mapping[str, object]
    variables: Mapping[str, str]

    @abstractmethod
    def say(
        self, text: str, *, by: str = "ann", team: bool = False, quoted: str = "", file: str = "", thread: str = ""
    ) -> str:
        """Let a user write, with the words of others as a quote, a file or what is answered; return the id."""

    @abstractmethod
    def channel(self, user: str) -> str:
        """Return where a user and the assistant are alone."""

    @abstractmethod
    def taken(self) -> str:
        """Return all that the service got, as it can be read there."""


class SlackUsers(AppUsers):
    """Users of a workspace."""

    app = "slack"

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self.options = {"base_url": f"{server.url}/api", "files_url": server.url}
        self.variables = {"SLACK_BOT_TOKEN": server.token, "SLACK_APP_TOKEN": server.app_token}

    def say(
        self, text: str, *, by: str = "ann", team: bool = False, quoted: str = "", file: str = "", thread: str = ""
    ) -> str:
        """Write a message."""
        content: dict[str, Any] = {"username": by}
        if quoted:
            content["attachments"] = [{"text": quoted}]
        if file:
            content |= {"subtype": "file_share", "files": [self.server.keep_file(FILE, "text/plain", file.encode())]}
        if thread:
            content["thread_ts"] = thread
        channel = "C0000TEAM" if team else self.channel(by)
        words = f"<@U0000KOI> {text}" if team else text
        return self.server.say(words, channel=channel, user=f"U0000{by.upper()}", **content)

    def channel(self, user: str) -> str:
        """Return a direct channel."""
        return f"D0000{user.upper()}"

    def taken(self) -> str:
        """Return the bodies of all requests."""
        return bodies(self.server)


class TelegramUsers(AppUsers):
    """Users of a bot."""

    app = "telegram"

    def __init__(self, server: TelegramServer) -> None:
        self.server = server
        self.options = {"base_url": server.url}
        self.variables = {"TELEGRAM_BOT_TOKEN": server.token}

    def say(
        self, text: str, *, by: str = "ann", team: bool = False, quoted: str = "", file: str = "", thread: str = ""
    ) -> str:
        """Write a message; what it answers is all that a bot gets of the history."""
        content: dict[str, Any] = {}
        if team:
            name = "@koi_test_bot"
            content["caption_entities" if file else "entities"] = [
                {"type": "mention", "offset": 0, "length": len(name)}
            ]
            text = f"{name} {text}"
        if file:
            content |= {"caption": text, "document": self.server.keep_file(FILE, "text/plain", file.encode())}
        if quoted:
            eve = {"id": self.id("eve"), "is_bot": False, "first_name": "eve"}
            answered = {"message_id": 999_999, "date": 1, "chat": {"id": -100, "type": "group"}, "from": eve}
            content |= {"quote": {"text": quoted, "position": 0}, "reply_to_message": {**answered, "text": quoted}}
        if thread:
            content["reply_to_message"] = self.server.messages[-100, int(thread)]
        chat = -100 if team else self.id(by)
        return str(self.server.say("" if file else text, user=self.id(by), name=by, chat=chat, **content))

    def id(self, user: str) -> int:
        """Return the id of a user."""
        return 7 + NAMES.index(user)

    def channel(self, user: str) -> str:
        """Return a private chat."""
        return str(self.id(user))

    def taken(self) -> str:
        """Return the bodies of all requests."""
        return bodies(self.server)


class EmailUsers(AppUsers):
    """Users of a mail domain."""

    app = "email"

    def __init__(self, servers: MailServers) -> None:
        self.servers, self.count = servers, 0
        imap, smtp = f"imap://127.0.0.1:{servers.imap_port}", f"smtp://127.0.0.1:{servers.smtp.port}"
        self.options = {"address": KOI, "imap": imap, "smtp": smtp, "checked_by": "mx.koi.test"}
        self.variables = {"EMAIL_PASSWORD": PASSWORD}

    def say(
        self, text: str, *, by: str = "ann", team: bool = False, quoted: str = "", file: str = "", thread: str = ""
    ) -> str:
        """Write a mail; that of a team has all others as further recipients."""
        self.count += 1
        mail = EmailMessage()
        mail["Authentication-Results"], mail["From"], mail["To"] = PASSED, self.channel(by), KOI
        mail["Message-ID"] = f"<{self.count}@koi.test>"
        if team:
            mail["Cc"] = ", ".join(self.channel(one) for one in NAMES if one != by)
        if thread:
            mail["References"] = f"<{thread}>"
        mail.set_content("\n".join([text, *(f"> {line}" for line in quoted.split("\n") if quoted)]))
        if file:
            mail.add_attachment(file.encode(), "text", "plain", filename=FILE)
        self.servers.deliver(KOI, mail.as_bytes())
        return f"{self.count}@koi.test"

    def channel(self, user: str) -> str:
        """Return an address."""
        return f"{user}@koi.test"

    def taken(self) -> str:
        """Return all mails that were sent, and the parts of each as they are decoded."""
        mails = list(self.servers.sink.taken)
        parts = [part.get_payload(decode=True) for mail in mails for part in mail.walk() if not part.is_multipart()]
        decoded = (part.decode(errors="replace") for part in parts if isinstance(part, bytes))
        heads = (str(value) for mail in mails for value in mail.values())
        return "\n".join([*(mail.as_string() for mail in mails), *decoded, *heads])


class MatrixUsers(AppUsers):
    """Users of a homeserver."""

    app = "matrix"

    def __init__(self, server: Synapse) -> None:
        self.server, self.koi = server, User(server, "koi")
        self.users = {name: User(server, name) for name in NAMES}
        self.rooms = {name: one.make_room(self.koi, is_direct=True) for name, one in self.users.items()}
        ann, *others = self.users.values()
        self.team = ann.make_room(self.koi, *others)
        for room in (*self.rooms.values(), self.team):
            self.koi.join(room)
        for one in others:
            one.join(self.team)
        self.options = {"base_url": server.url, "users": [one.id for one in self.users.values()]}
        self.variables = {"MATRIX_TOKEN": self.koi.token}

    def say(
        self, text: str, *, by: str = "ann", team: bool = False, quoted: str = "", file: str = "", thread: str = ""
    ) -> str:
        """Send a message."""
        quotes = "".join(f"> {line}\n" for line in quoted.split("\n")) + "\n" if quoted else ""
        content: dict[str, Any] = {"msgtype": "m.text", "body": f"{quotes}koi: {text}" if team else f"{quotes}{text}"}
        if team:
            content["m.mentions"] = {"user_ids": [self.koi.id]}
        if file:
            info = {"mimetype": "text/plain", "size": len(file.encode())}
            url = self.users[by].upload(file.encode())
            content |= {"msgtype": "m.file", "filename": FILE, "info": info, "url": url}
        if thread:
            content["m.relates_to"] = {"rel_type": "m.thread", "event_id": thread}
        return self.users[by].send(self.team if team else self.rooms[by], content)

    def channel(self, user: str) -> str:
        """Return a direct room."""
        return self.rooms[user]

    def taken(self) -> str:
        """Return all events of rooms, and the files that were uploaded."""
        events = (self.koi.read(room) for room in (*self.rooms.values(), self.team))
        files = (one.read_text(errors="replace") for one in (self.server.folder / "media").rglob("*") if one.is_file())
        return "\n".join([*(json.dumps(one, ensure_ascii=False) for one in events), *files])


def bodies(server: SlackServer | TelegramServer) -> str:
    """Return the bodies of all requests, and what forms among them contain."""
    whole = "\n".join(one.body.decode(errors="replace") for one in list(server.requests))
    return f"{whole}\n{unquote_plus(whole)}"


@contextmanager
def slack_users(folder: Path) -> Iterator[AppUsers]:
    """Serve a workspace."""
    with SlackServer() as server:
        yield SlackUsers(server)


@contextmanager
def telegram_users(folder: Path) -> Iterator[AppUsers]:
    """Serve a bot."""
    with TelegramServer() as server:
        yield TelegramUsers(server)


@contextmanager
def email_users(folder: Path) -> Iterator[AppUsers]:
    """Run mail servers."""
    with run_mail_servers(KOI) as servers:
        yield EmailUsers(servers)


@contextmanager
def matrix_users(folder: Path) -> Iterator[AppUsers]:
    """Run a homeserver."""
    with run_synapse(folder) as server:
        yield MatrixUsers(server)


APPS: Mapping[str, Callable[[Path], Any]] = {
    "slack": slack_users,
    "telegram": telegram_users,
    "email": email_users,
    "matrix": matrix_users,
}
