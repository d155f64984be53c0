"""Create virtualenvs for contestants in the user's cache: OpenKoi as ``pip install openkoi`` gives it, and peers.

That of OpenKoi is made anew by each process that needs it, from the files as they are, and removed at its end. Those
of peers are made when they are first needed; delete the folder to have the newest versions.
"""

import atexit
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache as cache_result
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).parents[2]
READY = "ready"
PATIENCE = 600
COMPILE = "UV_COMPILE_BYTECODE"  # set it to 0 where no time is measured: all is compiled otherwise, which takes seconds


class Homeless(Exception):
    """A peer that cannot be installed here, and why."""


@cache_result
def home_of_openkoi(*more: str) -> str:
    """Return the Python of a virtualenv with the default bundle and ``more`` distributions: wheels and bytecode."""
    cache().mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix="openkoi-", dir=cache()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    options = ["--frozen", "--no-editable", "--no-default-groups", "--reinstall"]
    packages = [f"--package={name}" for name in ("openkoi", *more)]
    compiled = os.environ.get(COMPILE, "1")
    run_uv(["sync", "--quiet", *options, *packages], ROOT, **{COMPILE: compiled, "UV_PROJECT_ENVIRONMENT": str(folder)})
    return str(python_in(folder))


def home_of(name: str, requirements: Sequence[str]) -> str:
    """Return the Python of a peer's own virtualenv."""
    folder = cache() / f"{name}-{sha256(' '.join([sys.version, *requirements]).encode()).hexdigest()[:12]}"
    python = python_in(folder)
    if not (folder / READY).exists():
        build(folder, python, requirements)
        (folder / READY).touch()
    return str(python)


def python_in(folder: Path) -> Path:
    """Return the Python of a virtualenv."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def cache() -> Path:
    """Return the folder of the virtualenvs."""
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "openkoi-benchmarks"


def build(folder: Path, python: Path, requirements: Sequence[str]) -> None:
    """Create a virtualenv with these distributions."""
    shutil.rmtree(folder, ignore_errors=True)
    run_uv(["venv", "--quiet", "--python", sys.executable, str(folder)])
    run_uv(["pip", "install", "--quiet", "--python", str(python), *requirements], folder)


def run_uv(command: Sequence[str], folder: Path = ROOT, **variables: str) -> None:
    """Run uv, with the constraints of the project that a folder is in; raises Homeless with what it says."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise Homeless("there is no uv to install it with")
    result = subprocess.run(
        [uv, *command],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if result.returncode:
        raise Homeless(" ".join(result.stderr.split())[-200:])
