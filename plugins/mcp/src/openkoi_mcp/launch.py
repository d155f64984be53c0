"""Start an MCP server as a child process that gets only the named environment variables and ends with OpenKoi.

Run as a script, by its path and without site packages: ``launch.py PARENT NAME,NAME... COMMAND ARGUMENTS...``. The
first line on standard error is the process id of the server, which is also that of its process group. This process
stays as its supervisor: when the server or OpenKoi has ended, it kills what the server started. On Linux that is all of
it, also in a session of its own, so that no orphan is left; elsewhere it is the process group.
"""

import os
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of prctl(2)
POLL_SECONDS = 0.1  # estimate: a server that has ended is noticed as fast as a user would
PROCESS_MARK = "openkoi-mcp process "  # before the id on standard error


class ParentEndedError(Exception):
    """OpenKoi has ended."""


def main(parent: str, names: str, *command: str) -> None:
    """Start the server, wait for its end or that of OpenKoi, and kill what is left."""
    allowed = {name: os.environ[name] for name in names.split(",") if name in os.environ}
    is_linux = sys.platform == "linux"
    signal.signal(signal.SIGTERM, raise_ended)
    if is_linux:
        end_with(int(parent), signal.SIGTERM)
        set_process(PR_SET_CHILD_SUBREAPER, 1)
    own = os.getpid()
    server = os.fork()
    if server == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if is_linux:
            end_with(own, signal.SIGKILL)
        os.setpgid(0, 0)
        become_server(command, allowed)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    status = 1
    try:
        status = wait_for(server) if is_linux else poll(server, int(parent))
    except ParentEndedError:
        pass
    finally:
        kill_descendants() if is_linux else kill_group(server)
    os._exit(status)


def become_server(command: tuple[str, ...], variables: dict[str, str]) -> None:
    """Replace this process by the server."""
    os.write(2, f"{PROCESS_MARK}{os.getpid()}\n".encode())
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}.\n".encode())
        os._exit(1)


def wait_for(server: int) -> int:
    """Return the exit status of the server; reap the processes that it left behind meanwhile."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == server:
            return os.waitstatus_to_exitcode(status) & 0xFF


def poll(server: int, parent: int) -> int:
    """Return the exit status of the server, on systems where no signal reports the end of OpenKoi."""
    while os.getppid() == parent:
        ended, status = os.waitpid(server, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) & 0xFF
        time.sleep(POLL_SECONDS)
    raise ParentEndedError


def kill_group(server: int) -> None:
    """Kill the process group of the server."""
    try:
        os.killpg(server, signal.SIGKILL)
    except OSError:  # it has no process any more, or on macOS only ended ones
        return


def kill_descendants() -> None:
    """Kill every process that the server started, except other users'; orphans become this process's children."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    refused: set[int] = set()
    while has_children():
        found = find_children() - refused
        if refused and not found:
            return
        refused |= {process for process in found if not kill(process)}
        for process in found - refused:
            os.waitpid(process, 0)


def has_children() -> bool:
    """Return whether this process has children: one that starts another and ends may be in no list of /proc."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def kill(process: int) -> bool:
    """Kill a child; return False for one that runs as another user, such as with sudo."""
    try:
        os.kill(process, signal.SIGKILL)
    except PermissionError:
        return False
    return True


def find_children() -> set[int]:
    """Return the processes whose parent is this one, including those that have ended."""
    own = str(os.getpid())
    return {int(one.name) for one in os.scandir("/proc") if one.name.isdigit() and parent_of(one.name) == own}


def parent_of(process: str) -> str:
    """Return the parent of a process; empty if it is gone."""
    from pathlib import Path

    try:
        return Path("/proc", process, "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
    except OSError:
        return ""


def end_with(parent: int, number: int) -> None:
    """Let the system send a signal to this process when its parent ends."""
    set_process(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit("OpenKoi has ended.")


def set_process(option: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(option, value)


def raise_ended(number: int, frame: object) -> None:
    raise ParentEndedError


if __name__ == "__main__":
    main(*sys.argv[1:])
