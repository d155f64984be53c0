"""Find the data and configuration folders, by OPENKOI_HOME, XDG variables and others; create and read nothing.

``OPENKOI_HOME`` (everything below it) > ``OPENKOI_CONFIG`` and ``OPENKOI_DATA`` > set XDG variables > the home folder.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from openkoi_hookspecs import Paths


def find_paths(environment: Mapping[str, str] = os.environ, config: str = "") -> Paths:
    """Return where the configuration and the data are; ``config`` was named on the command line."""
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
