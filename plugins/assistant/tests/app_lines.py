"""A user's line to the assistant in each app, so that one story is played in all of them at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import NamedTuple

from assistant_process import SETTINGS, TURNS, wait_until
from cli_process import Shell, shell, write_script
from mail_server import PASSWORD, MailServers, run_mail_servers
from synapse_server import User, run_synapse, texts_of

from openkoi_testing.servers import SlackServer, TelegramServer

KOI, PASSED = "koi@koi.test", "mx.koi.test; dmarc=pass header.from=koi.test"
ANN_AT_SLACK = "D00000ANN"


class Line(NamedTuple):
    """How ann talks to the assistant in an app: ``say`` lets a message arrive, and arrive again where that happens.

    ``is_exact``: no answer is there twice, whenever the daemon is killed.
    """

    app: str
    settings: str
    variables: Mapping[str, str]
    say: Callable[[str], object]
    texts: Callable[[], Sequence[str]]
    is_exact: bool = False

    def answers(self) -> list[str]:
        """Return the answers to questions about capitals."""
        return [text for text in self.texts() if text.endswith("Paris.")]


def telegram_line(stack: ExitStack, folder: Path) -> Line:
    """Serve a bot."""
    server = stack.enter_context(TelegramServer())
    settings = f'[integrations.telegram]\nbase_url = "{server.url}"\n'

    def texts() -> list[str]:
        return [str(one.get("text", "")) for one in server.list_sent(7)]

    token = {"TELEGRAM_BOT_TOKEN": server.token}
    return Line("telegram", settings, token, lambda text: server.redeliver(server.say(text)), texts)


def slack_line(stack: ExitStack, folder: Path) -> Line:
    """Serve a workspace."""
    server = stack.enter_context(SlackServer())
    settings = f'[integrations.slack]\nbase_url = "{server.url}/api"\nfiles_url = "{server.url}"\n'

    def texts() -> list[str]:
        return [str(one["text"]) for one in server.list_sent(ANN_AT_SLACK)]

    tokens = {"SLACK_BOT_TOKEN": server.token, "SLACK_APP_TOKEN": server.app_token}
    return Line("slack", settings, tokens, lambda text: server.redeliver(ANN_AT_SLACK, server.say(text)), texts)


@dataclass(slots=True)
class Mails:
    """The mails of ann, each of which arrives twice, and those that she got."""

    servers: MailServers
    count: int = 0
    ids: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Write a mail."""
        self.count += 1
        mail = EmailMessage()
        mail["Authentication-Results"], mail["From"], mail["To"] = PASSED, "ann@koi.test", KOI
        mail["Message-ID"] = f"<{self.count}@koi.test>"
        mail.set_content(text)
        for _ in range(2):
            self.servers.deliver(KOI, mail.as_bytes())

    def texts(self) -> list[str]:
        """Return the texts of the answers."""
        parts = (one.get_body(("plain",)) for one in list(self.servers.sink.taken))
        return ["\n".join(str(part.get_content()).split("\r\n")).strip() for part in parts if part]


def email_line(stack: ExitStack, folder: Path) -> Line:
    """Run mail servers."""
    servers = stack.enter_context(run_mail_servers(KOI))
    mails = Mails(servers)
    settings = f"""\
[integrations.email]
address = "{KOI}"
imap = "imap://127.0.0.1:{servers.imap_port}"
smtp = "smtp://127.0.0.1:{servers.smtp.port}"
checked_by = "mx.koi.test"
"""
    return Line("email", settings, {"EMAIL_PASSWORD": PASSWORD}, mails.say, mails.texts)


def matrix_line(stack: ExitStack, folder: Path) -> Line:
    """Run a homeserver."""
    (folder / "synapse").mkdir()
    server = stack.enter_context(run_synapse(folder / "synapse"))
    koi, ann = User(server, "koi"), User(server, "ann")
    room = ann.make_room(koi, is_direct=True)
    koi.join(room)
    settings = f'[integrations.matrix]\nbase_url = "{server.url}"\nusers = ["{ann.id}"]\n'
    token = {"MATRIX_TOKEN": koi.token}
    return Line("matrix", settings, token, lambda text: ann.say(room, text), lambda: texts_of(koi, room), is_exact=True)


LINES: Mapping[str, Callable[[ExitStack, Path], Line]] = {
    "telegram": telegram_line,
    "slack": slack_line,
    "email": email_line,
    "matrix": matrix_line,
}


@contextmanager
def connect_apps(folder: Path, apps: Sequence[str]) -> Iterator[tuple[Shell, list[Line]]]:
    """Make a home that is connected to apps."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    write_script(folder, TURNS)
    with ExitStack() as stack:
        lines = [LINES[name](stack, folder) for name in apps]
        settings = SETTINGS.format(app="\n".join(line.settings for line in lines), more="")
        (openkoi.home / "config.toml").write_text(settings)
        variables = {name: value for line in lines for name, value in line.variables.items()}
        yield openkoi.with_environment(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}", **variables), lines


def pair_all(openkoi: Shell, lines: Sequence[Line]) -> None:
    """Pair ann in each app by a code from the terminal; the daemon runs."""
    for line in lines:
        line.say(openkoi("connect", line.app, "--pair", "owner").stdout.split()[-1])
        wait_until(line.texts)
