"""Runs of the command line with scripts; the model is scripted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli_process import Shell, shell, write_script
from documented_plugins import BASE, DONE, LEAN, configure

PROJECT = ".openkoi/hooks"


def scripts_shell(folder: Path, turns: str = DONE, **settings: Any) -> Shell:
    """Return a command line whose model plays these turns."""
    openkoi = shell(folder)
    configure(openkoi, BASE, LEAN, settings)
    return openkoi.with_environment(
        OPENKOI_MODEL=write_script(folder, turns).replace("scripted/", f"scripted/{folder}/")
    )


def write_user(openkoi: Shell, files: Mapping[str, str]) -> Path:
    """Write scripts into the user's folder."""
    return write_all(openkoi.home / "data" / "plugins" / "scripts", files)


def write_project(openkoi: Shell, files: Mapping[str, str]) -> Path:
    """Write scripts into the project."""
    return write_all(openkoi.folder / PROJECT, files)


def write_all(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder
