"""Look up processes by their id."""

import os


def is_process_running(pid: int) -> bool:
    """Return whether a process exists; True where that cannot be determined, as on Windows, where asking ends it."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
