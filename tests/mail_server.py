"""Run real mail servers on loopback ports: dovecot for IMAP, aiosmtpd for SMTP, and an authorization server."""

import base64
import getpass
import grp
import json
import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from asyncio import WriteTransport
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

INSTALL = "dovecot is not installed; to install it, run: sudo apt-get install --no-install-recommends dovecot-imapd"
PASSWORD = "pond-password"
SECONDS = 30.0
CONFIG = """\
base_dir = {run}/run
state_dir = {run}/state
log_path = {run}/dovecot.log
instance_name = koi
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2 oauthbearer
auth_failure_delay = 0
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {login}
first_valid_uid = 1
mail_location = maildir:{mail}/%u
mail_fsync = never
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {run}/oauth2.conf
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={owner} gid={owner_group} home={mail}/%u allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  mailbox Sent {{
    auto = subscribe
    special_use = \\Sent
  }}
}}
"""
OAUTH2 = "tokeninfo_url = http://127.0.0.1:{port}/tokeninfo?access_token=\nusername_attribute = email\n"


class Tokens:
    """An authorization server: single-use refresh tokens, device codes, and valid access tokens."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.valid: set[str] = set()
        self.refresh_tokens = {"refresh-0"}
        self.renewed = 0
        self.is_allowed = False

    def answer(self, path: str, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Answer a request."""
        if path == "/tokeninfo":
            known = fields["access_token"] in self.valid
            return (200, {"email": self.address}) if known else (401, {"error": "invalid_token"})
        if path == "/device":
            codes = {"device_code": "device-1", "user_code": "KOI-POND", "interval": 0.05, "expires_in": 60}
            return 200, {**codes, "verification_uri": "https://login.example/device"}
        if fields["grant_type"].endswith(":device_code"):
            return self.issue() if self.is_allowed else (400, {"error": "authorization_pending"})
        if fields["refresh_token"] not in self.refresh_tokens:
            return 400, {"error": "invalid_grant", "error_description": "The refresh token was used."}
        self.refresh_tokens.discard(fields["refresh_token"])
        return self.issue()

    def issue(self) -> tuple[int, dict[str, Any]]:
        """Return a new access token and the refresh token after it."""
        self.renewed += 1
        self.valid.add(f"access-{self.renewed}")
        self.refresh_tokens.add(f"refresh-{self.renewed}")
        issued = {"access_token": f"access-{self.renewed}", "refresh_token": f"refresh-{self.renewed}"}
        return 200, {**issued, "expires_in": 3600, "token_type": "Bearer"}


class Sink:
    """Delivers sent emails to the mailboxes of the recipients."""

    def __init__(self, servers: "MailServers") -> None:
        self.servers = servers
        self.taken: list[EmailMessage] = []
        self.refuse = ""
        self.breaks = 0  # how many connections break off once their mail was taken

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a mail."""
        if self.refuse:
            return self.refuse
        data = envelope.content if isinstance(envelope.content, bytes) else b""
        self.taken.append(BytesParser(policy=policy.default).parsebytes(data))
        for address in envelope.rcpt_tos:
            self.servers.deliver(address, data)
        if self.breaks:
            self.breaks -= 1
            assert isinstance(server.transport, WriteTransport)
            server.transport.abort()
        return "250 OK"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        """Sign in with the password."""
        return AuthResult(success=getattr(data, "password", b"") == PASSWORD.encode())

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:
        """Sign in with an access token."""
        token = base64.b64decode(args[1]).decode().partition("auth=Bearer ")[2].rstrip("\1")
        return AuthResult(success=token in self.servers.tokens.valid)


class MailServers:
    """The servers of the domain koi.test."""

    def __init__(self, folder: Path, imap_port: int, address: str) -> None:
        self.folder, self.imap_port = folder, imap_port
        self.tokens = Tokens(address)
        self.sink = Sink(self)
        self.owner = mail_owner()
        self.count = 0
        self.smtp = Controller(
            self.sink,
            hostname="127.0.0.1",
            port=free_port(),
            auth_require_tls=False,
            authenticator=self.sink.authenticate,
        )
        self.oauth = serve_tokens(self.tokens)

    @property
    def oauth_url(self) -> str:
        """The address where tokens are issued."""
        return f"http://127.0.0.1:{self.oauth.server_port}"

    def mailbox(self, address: str) -> Path:
        """Return the folder of a mailbox."""
        return self.folder / "mail" / address

    def deliver(self, address: str, data: bytes) -> None:
        """Put an email into a mailbox."""
        self.count += 1
        box = self.mailbox(address)
        for name in ("tmp", "new", "cur"):
            if not (box / name).exists():
                (box / name).mkdir(parents=True)
                for path in (box, box / name):
                    self.give(path)
        name = f"{time.time_ns() // 1000}.{self.count}.koi"
        file = box / "tmp" / name
        file.write_bytes(data.replace(b"\r\n", b"\n"))
        self.give(file)
        file.rename(box / "new" / name)

    def give(self, path: Path) -> None:
        """Let dovecot own a file, if it does not run as this user."""
        if os.getuid() == 0:
            os.chown(path, self.owner.pw_uid, self.owner.pw_gid)


def mail_owner() -> pwd.struct_passwd:
    """Return the user whom mailboxes belong to: dovecot lets none belong to root."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def serve_tokens(tokens: Tokens) -> ThreadingHTTPServer:
    """Serve an authorization server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.respond(parse_qs(urlsplit(self.path).query))

        def do_POST(self) -> None:
            self.respond(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))

        def respond(self, fields: dict[str, list[str]]) -> None:
            status, found = tokens.answer(urlsplit(self.path).path, {key: values[0] for key, values in fields.items()})
            body = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


@contextmanager
def run_mail_servers(address: str) -> Iterator[MailServers]:
    """Run the servers in a temporary folder; skip where dovecot is not installed."""
    program = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip(INSTALL)
    with TemporaryDirectory(prefix="koi-mail-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        servers = MailServers(folder, free_port(), address)
        (folder / "mail").mkdir()
        servers.give(folder / "mail")
        config = write_config(folder, servers)
        with (folder / "stderr.txt").open("wb") as errors:
            process = subprocess.Popen([program, "-F", "-c", str(config)], stdout=errors, stderr=errors)
        servers.smtp.start()
        try:
            wait_for_port(servers, process)
            yield servers
        finally:
            servers.smtp.stop()
            servers.oauth.shutdown()
            servers.oauth.server_close()
            process.terminate()
            process.wait(timeout=30)


def write_config(folder: Path, servers: MailServers) -> Path:
    """Write the configuration of dovecot, which runs as this user; root has the users that its package made."""
    is_root = os.getuid() == 0
    own = getpass.getuser()
    group = grp.getgrgid(os.getgid()).gr_name
    text = CONFIG.format(
        run=folder,
        mail=folder / "mail",
        port=servers.imap_port,
        password=PASSWORD,
        owner=servers.owner.pw_uid,
        owner_group=servers.owner.pw_gid,
        user="dovecot" if is_root else own,
        group="dovecot" if is_root else group,
        login="dovenull" if is_root else own,
    )
    (folder / "oauth2.conf").write_text(OAUTH2.format(port=servers.oauth.server_port))
    (folder / "dovecot.conf").write_text(text)
    return folder / "dovecot.conf"


def wait_for_port(servers: MailServers, process: "subprocess.Popen[bytes]") -> None:
    """Wait until dovecot greets."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, (servers.folder / "stderr.txt").read_text()
        with suppress(OSError), socket.create_connection(("127.0.0.1", servers.imap_port), timeout=5) as connection:
            if connection.recv(100).startswith(b"* OK"):
                return
        time.sleep(0.05)
    log = servers.folder / "dovecot.log"
    raise AssertionError(log.read_text() if log.exists() else "dovecot does not greet")
