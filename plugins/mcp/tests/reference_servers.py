"""Install the official reference servers once into a cache folder, by the registries' own clients."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_base.files import lock_beside

SECONDS = 300


def cache_folder() -> Path:
    """Return the folder that keeps the servers between runs of the tests."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "openkoi-tests", "mcp-servers")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def npm_package(package: str, program: str) -> Path:
    """Return a program of an npm package; skip the test, with the reason, if it cannot be installed."""
    folder = cache_folder() / f"npm-{program}"
    found = folder / "node_modules" / ".bin" / program
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, which installs this server")
    install(found, ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), package])
    return found


def python_package(*packages: str, program: str) -> Path:
    """Return a program of Python packages in a separate environment; skip the test if it is unavailable."""
    folder = cache_folder() / f"python-{program}"
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    if shutil.which("uv") is None:
        pytest.skip("uv is not installed, which installs this server")
    venv = ["uv", "venv", "--quiet", "--clear", str(folder)]
    install(binaries / program, venv, ["uv", "pip", "install", "--quiet", "--python", str(folder), *packages])
    return binaries / program


def install(found: Path, *commands: Sequence[str]) -> None:
    """Run the commands unless the program is there; one process at a time."""
    with lock_beside(found.parents[1] if found.parent.name == "bin" else found.parents[2]):
        for command in [] if found.exists() else commands:
            result = subprocess.run(
                command, cwd=cache_folder(), capture_output=True, text=True, timeout=SECONDS, check=False
            )
            if result.returncode != 0:
                pytest.skip(f"{' '.join(command[:3])} failed, so the server cannot be tested: {result.stderr[-300:]}")
