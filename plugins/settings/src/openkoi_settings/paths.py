"""Where OpenKoi keeps its files. Knows variables and folders; makes and reads nothing.

``OPENKOI_HOME`` (everything below it) > ``OPENKOI_CONFIG`` and ``OPENKOI_DATA`` > set XDG variables > the home folder.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """``config`` is a file; beside it lie ``credentials/`` and ``SOUL.md``. ``data`` is a folder."""

    config: Path
    data: Path

    @property
    def sessions(self) -> Path:
        """The run log: a file a session."""
        return self.data / "sessions"

    @property
    def running(self) -> Path:
        """What says which runs are under way."""
        return self.data / "running"

    @property
    def credentials(self) -> Path:
        """Saved keys, private to their user."""
        return self.config.parent / "credentials"


def find_paths(environment: Mapping[str, str] = os.environ, config: str = "") -> Paths:
    """Tell where the configuration and the data are; ``config`` was named on the command line."""
    home = environment.get("OPENKOI_HOME", "")
    named = config or ("" if home else environment.get("OPENKOI_CONFIG", ""))
    data = (Path(home) / "data") if home else data_folder(environment)
    default = (Path(home) if home else config_folder(environment)) / "config.toml"
    return Paths(config_file(Path(named)) if named else default.expanduser(), data.expanduser())


def config_folder(environment: Mapping[str, str]) -> Path:
    xdg = environment.get("XDG_CONFIG_HOME", "")
    return Path(xdg) / "openkoi" if xdg else Path("~/.openkoi")


def data_folder(environment: Mapping[str, str]) -> Path:
    if named := environment.get("OPENKOI_DATA", ""):
        return Path(named)
    xdg = environment.get("XDG_DATA_HOME", "")
    return Path(xdg) / "openkoi" if xdg else Path("~/.local/share/openkoi")


def config_file(named: Path) -> Path:
    path = named.expanduser()
    return path / "config.toml" if path.is_dir() else path
