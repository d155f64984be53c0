"""Set up targets outside a sandbox that the self-test tries to reach, and detect which it reached."""

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
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

FILE_CONTENT = "ours\n"
LINUX = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class EscapeTargets:
    """A folder outside, the workspace inside, a process, and listening sockets."""

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
    def probe_arguments(self) -> list[str]:
        """The facts that the probe needs."""
        ports = f"{self.tcp.getsockname()[1]},{self.udp.getsockname()[1]}"
        secret, door = str(self.hidden / "secret"), str(self.unix.getsockname())
        return [str(self.outside), secret, door, ports, str(self.victim.pid), self.word]

    @property
    def run_by_git(self) -> tuple[Path, Path]:
        """The settings and the hooks of a repository in the workspace."""
        return self.root / ".git/config", self.root / ".git/hooks"

    def find_reached(self) -> Iterator[str]:
        """Yield the names of what the probe reached."""
        kept = self.outside / "kept"
        if (self.outside / "made").exists():
            yield "writing"
        if not kept.exists() or kept.read_text() != FILE_CONTENT or kept.stat().st_nlink != 1:
            yield "changing"
        if not is_untouched(*self.run_by_git):
            yield "planting"
        if is_locked(self.root / "held"):
            yield "outliving"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.victim.wait(0.01)
            yield "signals"
        for name in ("unix", "abstract", "tcp"):
            if was_contacted(getattr(self, name)):
                yield name
        if was_contacted(self.udp):
            yield "udp"


def is_untouched(config: Path, hooks: Path) -> bool:
    """Return whether what git runs is unchanged."""
    return config.is_file() and config.read_text() == FILE_CONTENT and hooks.is_dir() and not any(hooks.iterdir())


def was_contacted(door: socket.socket) -> bool:
    """Return whether a process connected to a socket."""
    try:
        if door.type == socket.SOCK_DGRAM:
            door.recv(1)
        else:
            door.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def is_locked(lock: Path) -> bool:
    """Return whether a process still locks a file; a file that was never locked counts as locked: it proves nothing."""
    import fcntl  # POSIX only, as is every sandbox that this is asked about

    if not lock.exists():
        return True
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@contextlib.contextmanager
def escape_targets(folder: Path) -> Iterator[EscapeTargets]:
    """Set everything up below a folder, and remove it again."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        base = Path(tempfile.mkdtemp(prefix="proof-", dir=folder)).resolve()
        stack.callback(shutil.rmtree, base, ignore_errors=True)
        outside, root, hidden = (base / name for name in ("outside", "root", "hidden"))
        for place in (outside, root, hidden):
            place.mkdir()
        (root / ".git/hooks").mkdir(parents=True)
        (root / ".git/config").write_text(FILE_CONTENT)
        (outside / "kept").write_text(FILE_CONTENT)
        (hidden / "secret").write_text(FILE_CONTENT)
        word = f"30.{secrets.randbelow(10**9):09d}"
        victim = stack.enter_context(sleeping_process(word))
        doors = [stack.enter_context(door) for door in open_sockets(socket_path(outside, stack))]
        yield EscapeTargets(outside, root, hidden, word, victim, *doors)


def socket_path(outside: Path, stack: contextlib.ExitStack) -> str:
    """Return the path of the socket, which is short because the kernel limits its length."""
    path = str(outside / "door")
    if len(os.fsencode(path)) < 100:
        return path
    return str(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="openkoi-"))) / "door")


def open_sockets(path: str) -> list[socket.socket]:
    """Return a socket with a path, one without, and two on the network; none of them waits."""
    return [
        bind_socket(socket.AF_UNIX, socket.SOCK_STREAM, path),
        bind_socket(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + path if LINUX else path + "2"),
        bind_socket(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        bind_socket(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
    ]


def bind_socket(family: int, kind: int, address: str | tuple[str, int]) -> socket.socket:
    """Return a bound socket."""
    door = socket.socket(family, kind)
    door.bind(address)
    if kind == socket.SOCK_STREAM:
        door.listen()
    door.setblocking(False)
    return door


@contextlib.contextmanager
def sleeping_process(word: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run an idle process with a secret in its environment and its command line."""
    env, nothing = {**os.environ, "OPENKOI_WITNESS": word}, subprocess.DEVNULL
    waiting = ["sh", "-c", "read _", word]  # for us: it ends with us, and keeps no pipe of ours open
    victim = subprocess.Popen(waiting, env=env, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)
    try:
        yield victim
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
