"""Make this process look like one on another platform: without the modules and calls that only POSIX has."""

import importlib
import os
import signal
import sys
import types

POSIX_MODULES = ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "posix_ipc", "syslog")
POSIX_SIGNALS = ("setitimer", "SIGALRM", "SIGKILL", "SIGHUP")
POSIX_CALLS = ("killpg", "setsid", "getuid", "fdatasync", "wait4", "waitid", "getpgid")
THIRD_PARTY = (
    *("asyncio", "ctypes", "multiprocessing", "subprocess", "tempfile", "importlib_metadata", "http.server"),
    *("click", "click.shell_completion", "duckdb", "httpx2", "json_repair", "pathspec", "pluggy", "pydantic", "pytest"),
    *("mcp", "rapidfuzz", "markdown_it", "pygments", "snowballstemmer", "sqlite3", "yaml", "zoneinfo", "justhtml"),
    *("prompt_toolkit", "prompt_toolkit.output.vt100", "wasmtime"),
)


def look_like(platform: str) -> None:
    """Import third-party modules unchanged, then remove what the platform lacks."""
    for name in THIRD_PARTY:
        importlib.import_module(name)
    sys.platform = platform
    if platform == "win32":
        sys.modules["msvcrt"] = file_locks()
        for name in POSIX_MODULES:
            sys.modules[name] = None  # type: ignore[assignment]  # so that importing it raises ImportError
        for module, names in ((signal, POSIX_SIGNALS), (os, POSIX_CALLS)):
            for name in names:
                vars(module).pop(name, None)


def file_locks() -> types.ModuleType:
    """Return the used part of Windows' msvcrt; its locks have no effect."""
    module = types.ModuleType("msvcrt")
    vars(module).update(LK_LOCK=1, LK_NBLCK=2, LK_UNLCK=0, locking=lambda handle, mode, size: None)
    return module
