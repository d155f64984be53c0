"""Virtualenvs for peers, made when they are first needed and kept in the user's cache. Peers are no part of ours.

Delete the folder to have the newest versions.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

READY = "ready"
PATIENCE = 600


class Homeless(Exception):
    """A peer that cannot be installed here, and why."""


def home_of(name: str, requirements: Sequence[str]) -> str:
    """Return the Python of a peer's own virtualenv."""
    folder = cache() / f"{name}-{sha256(' '.join([sys.version, *requirements]).encode()).hexdigest()[:12]}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / READY).exists():
        build(folder, python, requirements)
        (folder / READY).touch()
    return str(python)


def cache() -> Path:
    """Return where they are kept."""
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "openkoi-benchmarks"


def build(folder: Path, python: Path, requirements: Sequence[str]) -> None:
    """Make a virtualenv that has these."""
    uv = shutil.which("uv")
    if uv is None:
        raise Homeless("there is no uv to install it with")
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        ["venv", "--quiet", "--python", sys.executable, str(folder)],
        ["pip", "install", "--quiet", "--python", str(python), *requirements],
    ):
        done = subprocess.run([uv, *command], capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode:
            raise Homeless(" ".join(done.stderr.split())[-200:])
