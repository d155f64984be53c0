"""Things outside a cage that a probe inside tries to reach, and what became of them. Knows no cage."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KEPT = "ours\n"
LINUX = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class Witness:
    """A folder outside, the workspace inside, a process, and doors somebody listens at."""

    outside: Path
    root: Path
    hidden: Path
    word: str
    victim: "subprocess.Popen[bytes]"
    unix: socket.socket
    abstract: socket.socket
    tcp: socket.socket
    udp: socket.socket

    @property
    def words(self) -> list[str]:
        """What the probe has to know."""
        ports = f"{self.tcp.getsockname()[1]},{self.udp.getsockname()[1]}"
        secret, door = str(self.hidden / "secret"), str(self.unix.getsockname())
        return [str(self.outside), secret, door, ports, str(self.victim.pid), self.word]

    @property
    def run_by_git(self) -> tuple[Path, Path]:
        """The settings and the hooks of a repository in the workspace."""
        return self.root / ".git/config", self.root / ".git/hooks"

    def reached(self) -> Iterator[str]:
        """What was done to us."""
        kept = self.outside / "kept"
        if (self.outside / "made").exists():
            yield "writing"
        if not kept.exists() or kept.read_text() != KEPT or kept.stat().st_nlink != 1:
            yield "changing"
        if not is_untouched(*self.run_by_git):
            yield "planting"
        if is_held(self.root / "held"):
            yield "outliving"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.victim.wait(0.01)
            yield "signals"
        for name in ("unix", "abstract", "tcp"):
            if knocked(getattr(self, name)):
                yield name
        if knocked(self.udp):
            yield "udp"


def is_untouched(config: Path, hooks: Path) -> bool:
    """Whether what git runs is what we made."""
    return config.is_file() and config.read_text() == KEPT and hooks.is_dir() and not any(hooks.iterdir())


def knocked(door: socket.socket) -> bool:
    """Whether somebody was at a door."""
    try:
        if door.type == socket.SOCK_DGRAM:
            door.recv(1)
        else:
            door.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def is_held(lock: Path) -> bool:
    """Whether somebody still holds a lock; one that was never taken proves nothing, and counts as held."""
    import fcntl  # POSIX only, as is every cage that this is asked about

    if not lock.exists():
        return True
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def witness(folder: Path) -> Iterator[Witness]:
    """Set everything up below a folder, and take it away again."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        base = Path(tempfile.mkdtemp(prefix="proof-", dir=folder)).resolve()
        stack.callback(shutil.rmtree, base, ignore_errors=True)
        outside, root, hidden = (base / name for name in ("outside", "root", "hidden"))
        for place in (outside, root, hidden):
            place.mkdir()
        (root / ".git/hooks").mkdir(parents=True)
        (root / ".git/config").write_text(KEPT)
        (outside / "kept").write_text(KEPT)
        (hidden / "secret").write_text(KEPT)
        word = f"30.{secrets.randbelow(10**9):09d}"
        victim = stack.enter_context(sleeping(word))
        doors = [stack.enter_context(door) for door in listening(door_path(outside, stack))]
        yield Witness(outside, root, hidden, word, victim, *doors)


def door_path(outside: Path, stack: contextlib.ExitStack) -> str:
    """Where the socket lies; the kernel allows it no long path."""
    path = str(outside / "door")
    if len(os.fsencode(path)) < 100:
        return path
    return str(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="openkoi-"))) / "door")


def listening(path: str) -> list[socket.socket]:
    """A socket with a path, one without, and two on the network; none of them waits."""
    return [
        bound(socket.AF_UNIX, socket.SOCK_STREAM, path),
        bound(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + path if LINUX else path + "2"),
        bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
    ]


def bound(family: int, kind: int, address: str | tuple[str, int]) -> socket.socket:
    """A socket somebody could reach."""
    door = socket.socket(family, kind)
    door.bind(address)
    if kind == socket.SOCK_STREAM:
        door.listen()
    door.setblocking(False)
    return door


@contextlib.contextmanager
def sleeping(word: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that does nothing, and carries a word in its environment and its command line."""
    env, nothing = {**os.environ, "OPENKOI_WITNESS": word}, subprocess.DEVNULL
    waiting = ["sh", "-c", "read _", word]  # for us: it ends with us, and keeps no pipe of ours open
    victim = subprocess.Popen(waiting, env=env, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)
    try:
        yield victim
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
