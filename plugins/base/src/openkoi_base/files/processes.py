"""Look up processes by their id."""

import os


def is_process_running(pid: int) -> bool:
    """Return whether a process exists; True if that is unknown, as on Windows, where the check would end it."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
