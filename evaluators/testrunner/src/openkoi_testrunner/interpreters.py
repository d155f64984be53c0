"""List the Python interpreters that may have a project's dependencies, its own first."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

FOLDERS = (".venv", "venv")


def find_interpreters(root: Path, venv: str) -> tuple[str, ...]:
    """Return the project's environment, the active one, OpenKoi's if it has pytest, and the system's."""
    folders = [root / name for name in FOLDERS] + ([Path(venv)] if venv else [])
    found = [str(python) for folder in folders if (python := python_in(folder))]
    ours = [sys.executable] if sys.executable and find_spec("pytest") else []
    machines = [path for name in ("python3", "python") if (path := shutil.which(name))]
    return tuple(dict.fromkeys(found + ours + machines[:1]))


def python_in(folder: Path) -> Path | None:
    """Return the interpreter of a virtual environment."""
    path = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return path if path.exists() else None


def python_environment(root: Path, python: str) -> dict[str, str]:
    """Return variables without colours and bytecode; a foreign interpreter also gets the folder ``src``."""
    env = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "PY_COLORS": "0", "PYTHONIOENCODING": "utf-8"}
    if not Path(python).is_relative_to(root) and (root / "src").is_dir():
        env["PYTHONPATH"] = str(root / "src")
    return env
