"""Try to escape from inside a sandbox, as part of its self-test.

It stands alone: a bare interpreter runs it in the workspace. It prints the name of each attempt that only it can see to
have succeeded; all else is observed from outside. Importing ``socket`` would cost as much as all the rest.
"""

import _socket
import mmap
import os
import sys
import time
from collections.abc import Callable

OUTSIDE, HIDDEN, SOCKET, PORTS, VICTIM, WORD, FILE, MEMORY = range(1, 9)


def main() -> None:
    """Make every attempt, whether or not earlier ones fail."""
    outside, sockets, victim = sys.argv[OUTSIDE], sys.argv[SOCKET], int(sys.argv[VICTIM])
    tcp, udp = (int(port) for port in sys.argv[PORTS].split(","))
    kept = os.path.join(outside, "kept")  # noqa: PTH118  # pathlib is slow to import
    attempt("", leave_process)
    attempt("", lambda: overwrite(os.path.join(outside, "made")))  # noqa: PTH118
    attempt("modes", lambda: os.chmod(kept, 0o604))  # noqa: PTH101
    attempt("", lambda: overwrite(kept))
    attempt("", lambda: os.truncate(kept, 0))
    attempt("", lambda: os.symlink(kept, "way"))  # noqa: PTH211
    attempt("", lambda: overwrite("way"))
    attempt("", lambda: os.link(kept, "same"))
    attempt("", lambda: overwrite("same"))
    attempt("", lambda: os.rename(kept, "taken"))  # noqa: PTH104
    attempt("", lambda: os.unlink(kept))  # noqa: PTH108
    attempt("", lambda: os.rename(".git", ".moved"))  # noqa: PTH104
    attempt("", lambda: overwrite(".git/config"))
    attempt("", lambda: overwrite(".git/hooks/pre-commit"))
    attempt("hidden", lambda: read(sys.argv[HIDDEN]))
    attempt("", lambda: connect(_socket.AF_UNIX, _socket.SOCK_STREAM, sockets))
    attempt("", lambda: connect(_socket.AF_UNIX, _socket.SOCK_STREAM, "\0" + sockets))
    attempt("", lambda: connect(_socket.AF_INET, _socket.SOCK_STREAM, ("127.0.0.1", tcp)))
    attempt("", lambda: connect(_socket.AF_INET, _socket.SOCK_DGRAM, ("127.0.0.1", udp)))
    attempt("seeing", lambda: read_process(f"/proc/{victim}/cmdline", sys.argv[WORD]))
    attempt("secrets", lambda: read_process(f"/proc/{victim}/environ", sys.argv[WORD]))
    attempt("files", lambda: write_long_file(int(sys.argv[FILE])))
    attempt("memory", lambda: mmap.mmap(-1, int(sys.argv[MEMORY]), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close())
    print("tried", flush=True)
    attempt("", lambda: os.kill(victim, 9))


def attempt(name: str, action: Callable[[], object]) -> None:
    """Make one attempt; print its name when it succeeds."""
    try:
        action()
    except (OSError, ValueError, OverflowError):
        return
    if name:
        print(name, flush=True)


def overwrite(path: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123
        file.write("not ours")


def read(path: str) -> None:
    with open(path) as file:  # noqa: PTH123
        if not file.read():
            raise OSError("empty")


def connect(family: int, kind: int, address: str | tuple[str, int]) -> None:
    reaching = _socket.socket(family, kind)
    reaching.settimeout(1)
    reaching.connect(address)
    reaching.send(b"x")


def read_process(path: str, word: str) -> None:
    """Read something of a process outside, by which it is known."""
    with open(path, "rb") as file:  # noqa: PTH123
        if os.fsencode(word) not in file.read():
            raise OSError("another process")


def write_long_file(most: int) -> None:
    """Make a file longer than allowed; it is sparse, so that no disk is filled."""
    with open("long", "wb") as file:  # noqa: PTH123
        file.seek(most)
        file.write(b"x")


def leave_process() -> None:
    """Leave a process that dropped its environment and its session, and locks a file for as long as it lives."""
    if not os.fork():
        try:
            os.setsid()
            os.fork() and os._exit(0)
            lock_and_sleep()
        finally:
            os._exit(1)
    for _ in range(200):
        if os.path.exists("holding"):  # noqa: PTH110
            return
        time.sleep(0.005)


def lock_and_sleep() -> None:
    """Lock a file and become something that sleeps."""
    import fcntl

    handle = os.open("held", os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.set_inheritable(handle, True)
    os.close(os.open("holding", os.O_WRONLY | os.O_CREAT))
    for stream in (1, 2):
        os.close(stream)
    os.execve("/bin/sleep", ["sleep", "30"], {})


if __name__ == "__main__":
    main()
