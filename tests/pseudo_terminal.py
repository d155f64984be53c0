"""Run the command line like a user at a terminal: a real terminal device, keys in, screen text out."""

import os
import re
import select
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_process import Shell
from warm_process import Command, start

if sys.platform == "win32":
    pytest.skip("needs a POSIX terminal", allow_module_level=True)
else:
    import pty
    import termios

DOWN, ENTER, ESCAPE = "\x1b[B", "\r", "\x1b"
INTERRUPT, END = "\x03", "\x04"
MOVES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_=>]|\x1b\][^\x07]*\x07|[\r\x08\u2800-\u28ff]")
VENDORS = re.compile(r".*_(API_KEY|BASE_URL)|OLLAMA_HOST|OPENKOI_.*")
PATIENCE = 60.0
ROWS = 40


class Terminal:
    """A terminal with one program. ``raw`` is all output."""

    def __init__(self, command: Command | subprocess.Popen[bytes], master: int, columns: int) -> None:
        self.command = command
        self.master = master
        self.columns = columns
        self.decoder = getincrementaldecoder("utf-8")("replace")  # a read may end within a character
        self.raw = ""

    @property
    def screen(self) -> str:
        """The output without colors, spinners and cursor movements."""
        return MOVES.sub("", self.raw)

    @property
    def page(self) -> str:
        """The current screen with its scrollback, without erased text."""
        from pyte import HistoryScreen, Stream

        screen = HistoryScreen(self.columns, ROWS, history=10_000)
        Stream(screen).feed(self.raw)
        gone = ["".join(row[column].data for column in range(self.columns)).rstrip() for row in screen.history.top]
        return "\n".join([*gone, *map(str.rstrip, screen.display)]).rstrip() + "\n"

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    def shows(self, text: str, *, times: int = 1) -> None:
        """Wait until a text was written a number of times."""
        end = time.monotonic() + PATIENCE
        while self.screen.count(text) < times:
            assert self.hear(end - time.monotonic()), f"{text!r} does not come:\n{self.screen}"

    def ends(self) -> int | None:
        """Wait for the end; return the exit status, or None when it does not come."""
        end = time.monotonic() + PATIENCE
        while self.hear(end - time.monotonic()):
            pass
        return self.command.wait(PATIENCE)

    def hear(self, seconds: float) -> bool:
        """Read available output; return whether there was any."""
        ready, _, _ = select.select([self.master], [], [], max(0.0, seconds))
        try:
            piece = os.read(self.master, 65_536) if ready else b""
        except OSError:
            piece = b""
        self.raw += self.decoder.decode(piece)
        return bool(piece)


@contextmanager
def terminal(shell: Shell, *arguments: str, columns: int = 110) -> Iterator[Terminal]:
    """Start OpenKoi on a terminal; end it afterwards."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (ROWS, columns))
    command = start(arguments, environment(shell), shell.folder, [slave] * 3, terminal=True)
    os.close(slave)
    try:
        yield Terminal(command, master, columns)
    finally:
        command.kill()
        os.close(master)


def environment(shell: Shell) -> Mapping[str, str]:
    """Return a user's variables on a fresh machine: no vendor keys, and a separate home."""
    kept = {name: value for name, value in os.environ.items() if not VENDORS.fullmatch(name)}
    person = {"HOME": str(shell.home.parent), "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
    offline = {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1"}  # a run at a terminal asks which releases there are
    return {**kept, **person, **offline, "PYTHONWARNINGS": "", "OPENKOI_HOME": str(shell.home), **shell.variables}


def files_text(folder: Path) -> str:
    """Return all files in a folder as text, except the saved keys."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "credentials")
    return "".join(path.read_bytes().decode("latin-1") for path in files)
