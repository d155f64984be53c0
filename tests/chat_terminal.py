"""Run the chat on a terminal emulator: what its user sees, its scrollback, and every byte written."""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from termios import TIOCSCTTY, TIOCSWINSZ

import pyte
from cli_process import Shell, write_script
from pseudo_terminal import ROWS, Terminal, environment, terminal

UPDATES = re.compile(r"\x1b\[\?2026[hl]|\x1b\[\?1004[hl]")
OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?(?:7|12|25|2004|2026|1004|1)[hl]|\x1b\[[0-9]*[ABCDJK]|\x1b\[[0-6] q")
FORBIDDEN = re.compile(r"\x1b\[[23]J|\x1b\[\?1049h|\x1b\[\?100[0236]h|\x1b\[\d*;?\d*r")
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f0300"
    "08fc02fe9d5e2c9f0000000049454e44ae426082"
)
QUIET = 0.3  # seconds without a key before a question takes one
PROMPT = "for commands"
READY = "spent"
COLUMNS = 100


class ChatTerminal:
    """A chat in a terminal emulator with a number of columns."""

    def __init__(self, inner: Terminal, columns: int, rows: int = 40) -> None:
        self.inner = inner
        self.emulator = pyte.HistoryScreen(columns, rows, history=20_000)
        self.stream = pyte.Stream(self.emulator)
        self.fed = 0

    def feed(self) -> None:
        text = self.inner.raw[self.fed :]
        self.fed += len(text)
        self.stream.feed(UPDATES.sub("", text))

    @property
    def display(self) -> str:
        """The current screen, without empty lines at the end."""
        self.feed()
        return "\n".join(line.rstrip() for line in self.emulator.display).rstrip()

    @property
    def scrollback(self) -> Sequence[str]:
        """All lines, those that have left the screen first."""
        self.feed()
        columns = range(self.emulator.columns)
        above = ["".join(row[column].data for column in columns) for row in self.emulator.history.top]
        return [line.rstrip() for line in (*above, *self.emulator.display)]

    def shows(self, text: str, seconds: float = 40, *, times: int = 1) -> None:
        """Wait until a text is on the screen a number of times."""
        self.waits(lambda: self.display.count(text) >= times, text, seconds)

    def hides(self, text: str, seconds: float = 40) -> None:
        """Wait until a text is no longer on the screen."""
        self.waits(lambda: text not in self.display, f"no {text}", seconds)

    def waits(self, condition: Callable[[], object], what: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{what!r} does not come:\n{self.display}"
            self.inner.hear(0.05)

    def settles(self) -> None:
        """Wait until a question takes keys: none was typed for a moment, and its choices are there."""
        end = time.monotonic() + QUIET + 0.1
        while (left := end - time.monotonic()) > 0:
            self.inner.hear(left)

    def type(self, keys: str) -> None:
        """Type keys, and wait until they are on the screen."""
        self.inner.type(keys)

    def send(self, text: str) -> None:
        """Type a line and press Enter."""
        self.inner.type(text)
        self.shows(text.split("\n")[-1][-30:])
        self.inner.type("\r")

    def resize(self, columns: int, rows: int = 40) -> None:
        """Change the size, as a user does with the mouse."""
        self.feed()
        fcntl.ioctl(self.inner.master, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.emulator.resize(rows, columns)

    def foreign(self) -> Sequence[str]:
        """Leave the chat; return the escape sequences of all its output that are not ours."""
        self.type("\x04")
        self.inner.ends()
        return re.findall(r"\x1b.{0,8}", OWN.sub("", self.inner.raw))


@contextmanager
def chat(
    openkoi: Shell, turns: str, *arguments: str, columns: int = 100, name: str = "script.yaml", **variables: str
) -> Iterator[ChatTerminal]:
    """Open the chat with a scripted model, once it is ready."""
    model = write_script(openkoi.folder, turns, name)
    shell = openkoi.with_environment(OPENKOI_MODEL=model, OPENKOI_ITERATE="0", **variables)
    with terminal(shell, *arguments, columns=columns) as inner:
        tty = ChatTerminal(inner, columns)
        tty.shows("Type a message" if variables.get("ACCESSIBLE") else PROMPT)
        yield tty


@contextmanager
def chat_of_a_shell(openkoi: Shell, turns: str, variables: Mapping[str, str]) -> Iterator[ChatTerminal]:
    """Open the chat as a job of a shell that reads a line each time the chat is suspended or has ended."""
    model = write_script(openkoi.folder, turns)
    shell = openkoi.with_environment(OPENKOI_MODEL=model, OPENKOI_ITERATE="0", **variables)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    text = 'echo "status $?"; read -r line; echo "the shell read $line"'
    command = subprocess.Popen(
        ["bash", "-mc", f"{shlex.join(shell.command())}; {text}; fg; {text}"],
        cwd=shell.folder,
        env=environment(shell),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, TIOCSCTTY, 0),
    )
    os.close(slave)
    try:
        terminal = ChatTerminal(Terminal(command, master, COLUMNS), COLUMNS)
        terminal.shows(PROMPT)
        yield terminal
    finally:
        os.close(master)  # all of its jobs are hung up
        command.kill()
        command.wait()


def says(text: str, when: str, *, calls: str = "", more: str = "") -> str:
    """Return a turn of a script: what the model says to a message that contains some words."""
    import json

    message = f"    calls: [{calls}]\n" if calls else ""
    return f"  - when: {{last: {json.dumps(when)}}}\n    says: {json.dumps(text)}\n{message}{more}    repeat: true\n"


def writes(path: str, content: str) -> str:
    """Return a call that writes a file."""
    import json

    return f"{{tool: write_file, arguments: {{path: {json.dumps(path)}, content: {json.dumps(content)}}}}}"


def runs(command: str) -> str:
    """Return a call that runs a command."""
    import json

    return f"{{tool: run_command, arguments: {{command: {json.dumps(command)}}}}}"


def read_folder(folder: Path) -> dict[str, str]:
    """Return the files of a folder, except the scripts of models."""
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.suffix == ".txt"}
