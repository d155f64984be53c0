"""Measure the idle daemon: memory with none to three apps, and processor time.

The apps are connected to fakes on this machine, over TLS and with this machine's certificate roots, as the services
are. Beside it runs what every client of them needs: Python's own TLS with these roots, after one request to the same
fake. The first app may cost that and what a further one costs. The apps are installed beside the default bundle.

Peers are bots that answer every message with a word, at the same fakes: they have one app, no agent and no memory.
"""

import os
import re
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tls_server import certificate

from openkoi_testing.servers import NotionServer, SlackServer, TelegramServer
from openkoi_testing.servers.http_server import HttpServer

from .contest import TESTS, load, met, table, variables
from .homes import home_of_openkoi
from .peers import python_of

SETTLE_SECONDS, IDLE_SECONDS, START_SECONDS = 4.0, 10.0, 60.0
MAX_BARE, MAX_FURTHER, MAX_SHARE = 35.0, 2.0, 0.1  # issue 21: MiB, MiB, percent of a core
APPS: Sequence[tuple[str, ...]] = ((), ("telegram",), ("telegram", "slack"), ("telegram", "slack", "notion"))
PEERS = {"python-telegram-bot": "telegram", "aiogram": "telegram", "slack-bolt": "slack"}
WATCHES, LISTENS = re.compile('"watching"|"connected"'), ("getUpdates", "apps.connections.open")
RESIDENT = "print(int(open('/proc/self/statm').read().split()[1]))"
BARE_ASYNCIO = f"import asyncio\nasyncio.run(asyncio.sleep(0))\n{RESIDENT}"
BARE_CLIENT = f"""
import asyncio, os, ssl, sys
from urllib.parse import urlsplit
async def main():
    url, roots = urlsplit(sys.argv[1]), ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    reader, writer = await asyncio.open_connection(url.hostname, url.port, ssl=roots)
    writer.write(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    await reader.readline()
    writer.close()
asyncio.run(main())
{RESIDENT}
"""


class Idle(NamedTuple):
    """Resident memory in MiB, and processor time in percent of a core."""

    memory: float
    share: float


def show(rounds: int) -> None:
    """Print a table with the goals; the first daemon of a round may compile, so the minimum counts."""
    with TemporaryDirectory() as folder:
        authority = Authority.make(Path(folder))
        count = min(rounds, 2)
        need = min(measure_client(authority) for _ in range(count))
        peers = {name: python for name in PEERS if (python := python_of(name))}
        turns = [measure(peers, authority) for _ in range(count)]
    least = {
        name: Idle(min(turn[name].memory for turn in turns), min(turn[name].share for turn in turns))
        for name in turns[0]
    }
    rows, before = [["TLS of asyncio, with all roots", "", f"{need:.1f}", "", ""]], 0.0
    for apps in APPS:
        idle, goal = least[title(apps)], MAX_BARE if not apps else MAX_FURTHER + (need if len(apps) == 1 else 0)
        more, before = idle.memory - before, idle.memory
        rows.append([title(apps), f"{idle.memory:.1f}", f"{more:.1f}", met(more, goal), f"{idle.share:.3f} %"])
    for name in peers:
        rows.append([f"{name}, {PEERS[name]}", f"{least[name].memory:.1f}", "", "", f"{least[name].share:.3f} %"])
    print(table([f"idle daemon ({load()})", "MiB", "more than the row before", "", "share of a core"], rows))
    added = f"{MAX_FURTHER:g} MiB for each app, TLS for the first one in addition"
    print(f"Goals: {MAX_BARE:g} MiB without an app, {added}, {MAX_SHARE:g} % of a core.")


def python() -> str:
    """Return the Python of an OpenKoi with the apps."""
    return home_of_openkoi("openkoi-telegram", "openkoi-slack", "openkoi-notion")


def title(apps: Sequence[str]) -> str:
    """Return the name of a daemon with these apps."""
    return ", ".join(apps) or "no app"


class Authority(NamedTuple):
    """A certificate for the fakes, and the file of all certificates that clients trust."""

    certificate: Path
    trusted: Path

    @classmethod
    def make(cls, folder: Path) -> "Authority":
        """Make a certificate, and trust it beside this machine's roots."""
        made, trusted = certificate(folder / "fake.pem"), folder / "trusted.pem"
        paths = ssl.get_default_verify_paths()
        roots = Path(paths.cafile or paths.openssl_cafile)
        trusted.write_bytes((roots.read_bytes() if roots.exists() else b"") + made.read_bytes())
        return cls(made, trusted)

    def secure(self, server: HttpServer) -> None:
        """Let a fake show the certificate."""
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.tls.load_cert_chain(self.certificate)

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of a client."""
        return variables(SSL_CERT_FILE=str(self.trusted))


def measure_client(authority: Authority) -> float:
    """Return the MiB that TLS adds to a process with an event loop, after a request."""
    server = TelegramServer()
    authority.secure(server)
    with server:
        return own_mebibytes(BARE_CLIENT, authority, server.url) - own_mebibytes(BARE_ASYNCIO, authority)


def own_mebibytes(code: str, authority: Authority, *arguments: str) -> float:
    """Return the memory that a process prints of itself, in pages."""
    command = [python(), "-c", code, *arguments]
    output = subprocess.run(command, env=authority.variables, capture_output=True, text=True, check=True).stdout
    return int(output) * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(peers: Mapping[str, str], authority: Authority) -> Mapping[str, Idle]:
    """Return the idle costs of daemons with some apps, and of bots of peers."""
    with ExitStack() as stack:
        pids = {title(apps): stack.enter_context(daemon(apps, authority)) for apps in APPS}
        pids |= {name: stack.enter_context(bot(name, python, authority)) for name, python in peers.items()}
        time.sleep(SETTLE_SECONDS)
        before = {name: cpu_seconds(pid) for name, pid in pids.items()}
        time.sleep(IDLE_SECONDS)
        return {
            name: Idle(resident_mebibytes(pid), 100 * (cpu_seconds(pid) - before[name]) / IDLE_SECONDS)
            for name, pid in pids.items()
        }


@contextmanager
def daemon(apps: Sequence[str], authority: Authority) -> Iterator[int]:
    """Run a daemon until it reaches these apps; yield its process id."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        settings, tokens = connect(stack, apps, authority)
        home = Path(folder, "home")
        home.mkdir()
        (home / "config.toml").write_text(settings)
        own = {"OPENKOI_HOME": str(home), "HOME": folder, **tokens}
        with running([python(), "-m", "openkoi", "daemon", "run"], {**authority.variables, **own}, folder) as pid:
            state = home / "data" / "assistant" / "state.json"
            wait_until(lambda: state.exists() and len(WATCHES.findall(state.read_text())) >= len(apps))
            yield pid


@contextmanager
def bot(name: str, python: str, authority: Authority) -> Iterator[int]:
    """Run a bot that was written with a library until it listens; yield its process id."""
    server = SlackServer() if PEERS[name] == "slack" else TelegramServer()
    authority.secure(server)
    with server, TemporaryDirectory() as folder:
        tokens = [server.token, *([server.app_token] if isinstance(server, SlackServer) else [])]
        command = [python, "-m", "benchmarks.contestants.idle_bots", name, server.url, *tokens]
        with running(command, {**authority.variables, "PYTHONPATH": str(TESTS)}, folder) as pid:
            wait_until(lambda: any(call in LISTENS for call, _ in server.calls))
            yield pid


def connect(stack: ExitStack, apps: Sequence[str], authority: Authority) -> tuple[str, Mapping[str, str]]:
    """Serve the fakes; return the settings and tokens of the apps."""
    settings, tokens = "", dict[str, str]()
    if "telegram" in apps:
        bot = TelegramServer()
        authority.secure(bot)
        stack.enter_context(bot)
        settings += f'[integrations.telegram]\nbase_url = "{bot.url}"\n'
        tokens["TELEGRAM_BOT_TOKEN"] = bot.token
    if "slack" in apps:
        workspace = SlackServer()
        authority.secure(workspace)
        stack.enter_context(workspace)
        settings += f'[integrations.slack]\nbase_url = "{workspace.url}/api"\nfiles_url = "{workspace.url}"\n'
        tokens |= {"SLACK_BOT_TOKEN": workspace.token, "SLACK_APP_TOKEN": workspace.app_token}
    if "notion" in apps:
        notes = NotionServer()
        authority.secure(notes)
        stack.enter_context(notes)
        settings += f'[integrations.notion]\nbase_url = "{notes.url}/v1"\n'
        tokens["NOTION_TOKEN"] = notes.token
    return settings, tokens


@contextmanager
def running(command: Sequence[str], variables: Mapping[str, str], folder: str) -> Iterator[int]:
    """Run a process; yield its id."""
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL) as child:
        try:
            yield child.pid
        finally:
            child.terminate()


def wait_until(listens: Callable[[], bool]) -> None:
    """Wait until a process reaches its apps."""
    until = time.monotonic() + START_SECONDS
    while not listens():
        if time.monotonic() > until:
            raise TimeoutError("The daemon or bot did not start.")
        time.sleep(0.05)


def resident_mebibytes(pid: int) -> float:
    """Return the memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, exact to a nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
