"""A connection that breaks off after a message was taken: it is sent again, and says that it may have come already."""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from socket import create_server
from threading import Thread

import pytest
from app_lines import KOI, Mails
from assistant_process import TURNS, running, slack_workspace, telegram_chat, wait_until
from cli_process import Shell, shell, write_script
from mail_server import PASSWORD, run_mail_servers

from openkoi_assistant.outbox import REPEATED
from openkoi_hookspecs import AppError, AppUnavailableError
from openkoi_http import AppClient

NOTICE = "You are now an owner of this assistant."
Chat = tuple[Shell, Callable[[str], object], Callable[[], list[str]]]


@contextmanager
def telegram(folder: Path) -> Iterator[Chat]:
    """Serve a bot whose first message is taken, without an answer."""
    with telegram_chat(folder) as chat:
        chat.server.drops = 1
        yield chat.openkoi, chat.server.say, chat.texts


@contextmanager
def slack(folder: Path) -> Iterator[Chat]:
    """Serve a workspace whose first message is taken, without an answer."""
    with slack_workspace(folder) as (openkoi, server):
        server.drops = 1
        yield openkoi, server.say, lambda: [str(one["text"]) for one in server.list_sent()]


@contextmanager
def email(folder: Path) -> Iterator[Chat]:
    """Run mail servers of which one breaks off once it has taken the first mail."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    write_script(folder, TURNS)
    with run_mail_servers(KOI) as servers:
        servers.sink.breaks = 1
        place = f'imap = "imap://127.0.0.1:{servers.imap_port}"\nsmtp = "smtp://127.0.0.1:{servers.smtp.port}"'
        app = f'[integrations.email]\naddress = "{KOI}"\nchecked_by = "mx.koi.test"\n{place}\n'
        (openkoi.home / "config.toml").write_text(app)
        mails = Mails(servers)
        yield openkoi.with_environment(EMAIL_PASSWORD=PASSWORD), mails.say, mails.texts


@pytest.mark.parametrize("app", [telegram, slack, email], ids=lambda app: app.__name__)
def test_what_may_have_been_sent_is_sent_once_more_and_marked(
    app: Callable[[Path], AbstractContextManager[Chat]], tmp_path: Path
) -> None:
    with app(tmp_path) as (openkoi, say, texts), running(openkoi):
        say(openkoi("connect", app.__name__, "--pair", "owner").stdout.split()[-1])
        wait_until(lambda: len(texts()) > 1)

    first, again = texts()
    assert first.startswith(NOTICE)
    assert again.startswith(REPEATED + NOTICE)


@contextmanager
def one_answer(answer: bytes) -> Iterator[str]:
    """Read one request to its end, send these bytes, and break off."""
    with create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    while b"the body" not in connection.recv(65536):
                        pass
                    connection.sendall(answer)

        thread = Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.close()
            thread.join()


HEAD = b"HTTP/1.1 %s\r\nContent-Length: 2\r\nContent-Type: application/json\r\nRetry-After: 1\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "uncertain"),
    [
        (b"", True),
        (HEAD % b"200 OK", True),
        (HEAD % b"200 OK" + b"{]", True),
        (HEAD % b"502 Bad Gateway" + b"{}", True),
        (HEAD % b"503 Service Unavailable" + b"{}", False),
        (HEAD % b"429 Too Many Requests" + b"{}", False),
    ],
    ids=["nothing", "half", "no JSON", "502", "503", "429"],
)
def test_a_call_is_uncertain_when_nothing_says_that_it_was_not_done(answer: bytes, uncertain: bool) -> None:
    with one_answer(answer) as url:
        error = asyncio.run(error_of(url))

    assert isinstance(error, AppUnavailableError)
    assert uncertain is error.uncertain


def test_a_call_that_reached_no_server_was_not_done() -> None:
    with create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = asyncio.run(error_of(f"http://127.0.0.1:{port}"))

    assert isinstance(error, AppUnavailableError)
    assert not error.uncertain


async def error_of(url: str) -> AppError | None:
    """Return what is wrong with a call."""
    async with AppClient(url) as client:
        try:
            await client.call("/send", {"text": "the body"})
        except AppError as error:
            return error
    return None


SENDING = """\
  - when: {{contains: may have succeeded}}
    says: Perhaps it was sent.
    repeat: true
  - when: {{last: greet}}
    calls: [{{tool: telegram_send, arguments: {{target: "7", message: "{message}"}}}}]
    repeat: true
  - says: Done.
    repeat: true
"""


class OnlyTheFirst(dict[int, float]):
    """Limits of Telegram, under which one message may be sent."""

    count = 0

    def get(self, _: int, default: float = 0.0) -> float:  # type: ignore[override]  # as the server asks for it
        """Return until when a chat refuses messages."""
        self.count += 1
        return default if self.count == 1 else float(10**9)


LONG = "Hello! " * 800


@pytest.mark.parametrize(
    ("message", "drops", "sent"),
    [("Hello!", 1, "Hello!"), (LONG, 0, LONG[:4000])],
    ids=["an answer that is lost", "the rest of a long message that is refused"],
)
def test_the_model_reads_that_its_message_may_have_been_sent(
    message: str, drops: int, sent: str, tmp_path: Path
) -> None:
    with telegram_chat(tmp_path, SENDING.format(message=message)) as chat:
        openkoi = chat.openkoi
        config = openkoi.home / "config.toml"
        config.write_text(config.read_text().replace('checkpoints = ""', ""))
        openkoi("greet the pond")
        openkoi("approve")
        chat.server.drops, chat.server.limits = drops, OnlyTheFirst()
        resumed = openkoi("resume")
        task = next(word for word in openkoi("status").stdout.split() if re.fullmatch("[0-9a-f]{8}", word))
        undone = openkoi("undo", task)
        (text,) = chat.texts()

    assert "Perhaps it was sent." in resumed.stdout
    assert text.startswith(sent)
    assert "telegram_send: may have succeeded" in undone.stderr
