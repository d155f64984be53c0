"""Run a third-party fake server, the npm package ``@copilotkit/llmock``, to cross-check our own.

Fixtures are what its documentation says: ``{"match": {"userMessage": ...}, "response": {"content": ...}}``, where a
response may have ``toolCalls`` (name, arguments) instead, and a match ``hasToolResult``.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from openkoi_hookspecs import KoiError

PACKAGES = ("@copilotkit/llmock@1.7.1", "@copilotkit/aimock@1.43.0")
PROGRAM = Path("node_modules", "@copilotkit", "aimock", "dist", "cli.js")
LISTENING = re.compile(r"http://127\.0\.0\.1:\d+")
INSTALL_SECONDS = 90.0
READY_SECONDS = 20.0


class ForeignServerMissingError(KoiError):
    """Report that a program that tests run against is unavailable; the test is to be skipped, loudly."""


class LLMock:
    """Run the server, as a context manager. ``folder`` is where the package is installed, once."""

    def __init__(self, *fixtures: Mapping[str, object], folder: Path | None = None, chunk_size: int = 8) -> None:
        self._fixtures = fixtures
        self._folder = folder
        self._chunk_size = chunk_size

    def __enter__(self) -> Self:
        command = [find_program("node"), str(ensure_installed(self._folder or cache_folder()))]
        self._here = tempfile.TemporaryDirectory(prefix="llmock-")
        fixtures, log = Path(self._here.name, "fixtures.json"), Path(self._here.name, "log.txt")
        fixtures.write_text(json.dumps({"fixtures": list(self._fixtures)}), encoding="utf-8")
        arguments = ["-p", "0", "-f", str(fixtures), "--chunk-size", str(self._chunk_size)]
        with log.open("wb") as output:
            self._process = subprocess.Popen([*command, *arguments], stdout=output, stderr=subprocess.STDOUT)
        try:
            self._address = wait_until_listening(self._process, log)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.wait()
        self._here.cleanup()

    @property
    def address(self) -> str:
        """Address of the server for the clients of all vendors."""
        return self._address

    @property
    def url(self) -> str:
        """What to use as the base URL of an OpenAI client."""
        return f"{self._address}/v1"


def wait_until_listening(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Wait until the server reports where it listens."""
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if address := LISTENING.search(log.read_text(encoding="utf-8", errors="replace")):
            return address.group()
        time.sleep(0.05)
    output = log.read_text(encoding="utf-8", errors="replace").strip()[-400:]
    raise ForeignServerMissingError(
        f"llmock did not start to listen within {READY_SECONDS:g} seconds. Its output: {output or 'none'}"
    )


def ensure_installed(folder: Path) -> Path:
    """Return the program, installed into this folder when it is missing."""
    program = folder / PROGRAM
    if not program.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        install_package(folder)
    return program


def install_package(folder: Path) -> None:
    """Install to a temporary folder, then rename it: a second process finds it complete."""
    with tempfile.TemporaryDirectory(prefix="llmock-", dir=folder.parent) as fresh:
        target = Path(fresh, "package")
        npm = [find_program("npm"), "install", "--prefix", str(target), "--no-audit", "--no-fund", "--ignore-scripts"]
        try:
            done = subprocess.run(
                [*npm, *PACKAGES], capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise ForeignServerMissingError(f"npm did not install llmock within {INSTALL_SECONDS:g} seconds.") from None
        if not (target / PROGRAM).exists():
            raise ForeignServerMissingError(f"npm could not install llmock: {done.stderr.strip()[-400:]}")
        with suppress(OSError):
            target.rename(folder)


def cache_folder() -> Path:
    """Return a folder in the system's temporary one that only this user can write."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    ours = Path(tempfile.gettempdir(), f"openkoi-peers-{owner}")
    ours.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and ours.stat().st_uid != owner:
        raise ForeignServerMissingError(f"{ours} belongs to another user; choose another folder.")
    return ours / "llmock-1.7.1"


def find_program(program: str) -> str:
    """Return the path of a program; raise if it is missing."""
    path = shutil.which(program)
    if path is None:
        raise ForeignServerMissingError(
            f"llmock needs {program}, which is not on the PATH. Install Node.js 20 or newer."
        )
    return path
