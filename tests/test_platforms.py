"""Linux first, and nothing that breaks at an import elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
POSIX_ONLY = ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "posix_ipc", "syslog")
SKIPPED = {".venv", "tests", "project", "build", "dist", ".ci", "__main__.py"}
STRANGERS = (
    *("asyncio", "ctypes", "multiprocessing", "subprocess", "tempfile", "importlib_metadata", "http.server"),
    *("click", "click.shell_completion", "duckdb", "httpx2", "json_repair", "pathspec", "pluggy", "pydantic", "pytest"),
    *("rapidfuzz", "rich.console", "rich.status", "snowballstemmer", "yaml", "zoneinfo", "justhtml"),
)
IMPORT_ALL = """
import importlib, os, signal, sys, types
for name in {strangers!r}:
    importlib.import_module(name)
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
sys.platform = {platform!r}
for name in {absent!r}:
    sys.modules[name] = None
for name in ("setitimer", "SIGALRM", "SIGKILL", "SIGHUP"):
    vars(signal).pop(name, None)
for name in ("killpg", "setsid", "getuid", "fdatasync", "wait4", "waitid", "getpgid"):
    vars(os).pop(name, None)
for name in {modules!r}:
    importlib.import_module(name)
print("all")
"""


def modules() -> list[str]:
    """Every module of every distribution."""
    names = []
    for source in sorted(ROOT.glob("**/src")):
        if SKIPPED & set(source.relative_to(ROOT).parts):
            continue
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            if not SKIPPED & {*path.relative_to(source).parts}:
                names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def test_there_are_modules_to_import() -> None:
    assert len(modules()) > 100


@pytest.mark.row("TEST-06")
@pytest.mark.parametrize(("platform", "absent"), [("win32", POSIX_ONLY), ("darwin", ())], ids=["windows", "macos"])
def test_every_module_can_be_imported_elsewhere(platform: str, absent: tuple[str, ...]) -> None:
    code = IMPORT_ALL.format(strangers=STRANGERS, platform=platform, absent=absent, modules=modules())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "all" == done.stdout.strip(), done.stderr
