"""Replace this process by an MCP server that has no other variables than the named ones, and that ends with OpenKoi.

Run as a script, by its path and without site packages: ``launch.py PARENT NAME,NAME... COMMAND ARGUMENTS...``. The
first line on standard error is the process id, which is also that of the group of all that the server starts.
"""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # of prctl(2)
PROCESS_MARK = "openkoi-mcp process "  # before the id on standard error


def main(parent: str, names: str, *command: str) -> None:
    """Start the server in this process."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(parent):
            sys.exit("OpenKoi has ended.")
    os.write(2, f"{PROCESS_MARK}{os.getpid()}\n".encode())
    allowed = {name: os.environ[name] for name in names.split(",") if name in os.environ}
    try:
        os.execvpe(command[0], command, allowed)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started: {error.strerror}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
