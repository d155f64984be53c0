"""Run the command line as a user does: in a separate process, with its own folder and home."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from warm_process import start

CLEARED = re.compile(r"OPENKOI_|AWS_|.*_(?:API_KEY|BASE_URL)$|PYTHONDONTWRITEBYTECODE$")
LIMIT_SECONDS = 100  # most commands take a tenth of a second, and hundreds of times as long on a very busy machine
UNREACHABLE = "127.0.0.1:1"
CAN_FORK = sys.platform.startswith("linux")  # macOS has no sockets of the kind that warm_process uses


@dataclass(frozen=True, slots=True)
class Shell:
    """A working folder, and the process's environment."""

    folder: Path
    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The process's variables: ours without any key or model server, and a home of its own."""
        kept = {name: value for name, value in os.environ.items() if not CLEARED.match(name)}
        own = {"OPENKOI_HOME": str(self.home), "HOME": str(self.home.parent), "OLLAMA_HOST": UNREACHABLE}
        return {**kept, **own, "PYTHONWARNINGS": "", **self.variables}

    def command(self, *arguments: str) -> Sequence[str]:
        """Return the command line."""
        return [sys.executable, "-m", "openkoi", *arguments]

    def __call__(
        self, *arguments: str, stdin: str | None = None, seconds: float = LIMIT_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        if not CAN_FORK or any(name.startswith("PYTHON") for name in self.variables.keys() - {"PYTHONPATH"}):
            return self.cold(*arguments, stdin=stdin, seconds=seconds)
        with TemporaryFile() as random, TemporaryFile() as out, TemporaryFile() as err:
            random.write((stdin or "").encode())
            random.seek(0)
            streams = [file.fileno() for file in (random, out, err)]
            code = start(arguments, self.environment, self.folder, streams).wait(seconds)
            texts = [text_of(file) for file in (out, err)]
        if code is None:
            raise subprocess.TimeoutExpired(self.command(*arguments), seconds, *texts)
        return subprocess.CompletedProcess(self.command(*arguments), code, *texts)

    def cold(
        self, *arguments: str, stdin: str | None = None, seconds: float = LIMIT_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Run it by an interpreter of its own."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def bash(self, line: str, seconds: float = LIMIT_SECONDS) -> subprocess.CompletedProcess[str]:
        """Run a line of bash in which ``openkoi`` is this code."""
        ours = f'openkoi() {{ "{sys.executable}" -m openkoi "$@"; }}\n'
        return subprocess.run(
            ["bash", "-c", ours + line],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def started(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it and do not wait."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def with_environment(self, **variables: str) -> "Shell":
        """Return the same with more variables."""
        return replace(self, variables={**self.variables, **variables})

    def seeing(self, site: Path) -> "Shell":
        """Return the same with this folder on Python's path."""
        path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH", ""))))
        return self.with_environment(PYTHONPATH=path)

    def with_plugin(self, code: str, **points: str) -> "Shell":
        """Return the same with a distribution ``acme``: one module, and its plugins by kind."""
        site = self.home.parent / "site"
        info = site / "acme-1.0.dist-info"
        info.mkdir(parents=True)
        (site / "acme.py").write_text(code)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        lines = [f"[openkoi.{kind}]\nacme = {target}\n" for kind, target in points.items()]
        (info / "entry_points.txt").write_text("".join(lines))
        return self.seeing(site)


def logged_records(home: Path) -> list[dict[str, Any]]:
    """Return the records of all logs, oldest first, except lines that a live process has not completed."""
    logs = sorted(home.rglob("*.jsonl"), key=lambda log: log.stat().st_mtime)
    lines = [line for log in logs for line in log.read_bytes().splitlines(keepends=True)]
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def text_of(file: IO[bytes]) -> str:
    """Return the written bytes as text."""
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


def handle_ignored_signals() -> None:
    """Handle what is ignored in the background and under nohup, by doing nothing: programs we start inherit no handler.

    Each could set its own signals, but that copies the tables of all our memory.
    """
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


handle_ignored_signals()


def shell(folder: Path) -> Shell:
    """Return a command line in an empty folder."""
    empty = folder / "folder"
    empty.mkdir()
    return Shell(empty, folder / "home")


def write_script(folder: Path, turns: str, name: str = "script.yaml") -> str:
    """Write a model script; return the model that plays it."""
    (folder / name).write_text(f"price: {{input: 3.0, output: 15.0}}\nturns:\n{turns}")
    return f"scripted/{name}"
