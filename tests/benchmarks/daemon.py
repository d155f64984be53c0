"""What the daemon costs while it waits: memory without an app, with one and with two, and processor time.

The apps are connected to fakes on this machine. It runs in the environment of the tests, which has the apps.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from openkoi_testing.servers import SlackServer, TelegramServer

from .contest import load, met, table

SETTLE_SECONDS, IDLE_SECONDS, START_SECONDS = 4.0, 10.0, 60.0
MAX_BARE, MAX_FURTHER, MAX_SHARE = 35.0, 2.0, 0.1  # issue 21: MiB, MiB, percent of a core
APPS: Sequence[tuple[str, ...]] = ((), ("telegram",), ("telegram", "slack"))


class Idle(NamedTuple):
    """Resident memory in MiB, and processor time in percent of a core."""

    memory: float
    share: float


def show(rounds: int) -> None:
    """Print a table, and what it should be; the first daemon of a round may compile, so that the least counts."""
    found = {apps: [measure(apps) for _ in range(max(2, min(rounds, 3)))] for apps in APPS}
    least = {apps: Idle(min(one.memory for one in all), min(one.share for one in all)) for apps, all in found.items()}
    rows, before = [], 0.0
    for apps, idle in least.items():
        more, goal = (idle.memory - before, MAX_FURTHER) if apps else (idle.memory, MAX_BARE)
        before = idle.memory
        share = f"{idle.share:.3f} %"
        rows.append([", ".join(apps) or "no app", f"{idle.memory:.1f}", f"{more:.1f}", met(more, goal), share])
    print(table([f"idle daemon ({load()})", "MiB", "more than before", "", "of a core"], rows))
    print(f"Goals: {MAX_BARE:g} MiB without an app, {MAX_FURTHER:g} a further one, {MAX_SHARE:g} % of a core.")


def measure(apps: Sequence[str]) -> Idle:
    """Return what a daemon with these apps costs."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        settings, tokens = connect(stack, apps)
        home = Path(folder, "home")
        home.mkdir()
        (home / "config.toml").write_text(settings)
        variables = {**os.environ, "OPENKOI_HOME": str(home), "HOME": folder, **tokens}
        with daemon(variables, folder) as pid:
            wait_until_watching(home / "data" / "assistant" / "state.json", len(apps))
            time.sleep(SETTLE_SECONDS)
            before = cpu_seconds(pid)
            time.sleep(IDLE_SECONDS)
            return Idle(resident_mebibytes(pid), 100 * (cpu_seconds(pid) - before) / IDLE_SECONDS)


def connect(stack: ExitStack, apps: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Serve the fakes; return the settings and tokens of the apps."""
    settings, tokens = "", dict[str, str]()
    if "telegram" in apps:
        bot = stack.enter_context(TelegramServer())
        settings += f'[integrations.telegram]\nbase_url = "{bot.url}"\n'
        tokens["TELEGRAM_BOT_TOKEN"] = bot.token
    if "slack" in apps:
        workspace = stack.enter_context(SlackServer())
        settings += f'[integrations.slack]\nbase_url = "{workspace.url}/api"\nfiles_url = "{workspace.url}"\n'
        tokens |= {"SLACK_BOT_TOKEN": workspace.token, "SLACK_APP_TOKEN": workspace.app_token}
    return settings, tokens


@contextmanager
def daemon(variables: Mapping[str, str], folder: str) -> Iterator[int]:
    """Run a daemon; yield its process id."""
    command = [sys.executable, "-m", "openkoi", "daemon", "run"]
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL) as child:
        try:
            yield child.pid
        finally:
            child.terminate()


def wait_until_watching(state: Path, count: int) -> None:
    """Wait until the daemon watches so many apps."""
    until = time.monotonic() + START_SECONDS
    while not state.exists() or state.read_text().count('"watching"') < count:
        if time.monotonic() > until:
            raise TimeoutError("The daemon did not start.")
        time.sleep(0.05)


def resident_mebibytes(pid: int) -> float:
    """Return the memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, exact to a nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
