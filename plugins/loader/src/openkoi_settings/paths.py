"""Find the data and configuration folders, by OPENKOI_HOME, XDG variables and others; create and read nothing.

``OPENKOI_HOME`` (everything below it) > ``OPENKOI_CONFIG`` and ``OPENKOI_DATA`` > set XDG variables > the home folder.
Relative XDG variables are ignored, as their specification says; a relative home folder is an error.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from openkoi_hookspecs import ConfigError, Paths

HOME_VARIABLE = "USERPROFILE" if os.name == "nt" else "HOME"
RELATIVE_HOME = (
    "HOME is {!r}, which is not an absolute path. Set it to your home folder, or set OPENKOI_HOME to another folder."
)


def find_paths(environment: Mapping[str, str] = os.environ, config: str = "") -> Paths:
    """Return the paths of the configuration and the data; ``config`` is from the command line.

    Raises ConfigError if a path starts in the home folder, and that is unknown.
    """
    home = environment.get("OPENKOI_HOME", "")
    named = config or ("" if home else environment.get("OPENKOI_CONFIG", ""))
    data = (Path(home) / "data") if home else data_folder(environment)
    default = (Path(home) if home else config_folder(environment)) / "config.toml"
    config_path = config_file(Path(named), environment) if named else expand_home(default, environment)
    return Paths(config_path, expand_home(data, environment))


def config_folder(environment: Mapping[str, str]) -> Path:
    xdg = xdg_folder("XDG_CONFIG_HOME", environment)
    return xdg / "openkoi" if xdg else Path("~/.openkoi")


def data_folder(environment: Mapping[str, str]) -> Path:
    if named := environment.get("OPENKOI_DATA", ""):
        return Path(named)
    xdg = xdg_folder("XDG_DATA_HOME", environment)
    return xdg / "openkoi" if xdg else Path("~/.local/share/openkoi")


def xdg_folder(variable: str, environment: Mapping[str, str]) -> Path | None:
    """Return the folder that a variable names, if its path is absolute."""
    folder = Path(environment.get(variable, ""))
    return folder if folder.is_absolute() else None


def config_file(named: Path, environment: Mapping[str, str]) -> Path:
    path = expand_home(named, environment)
    return path / "config.toml" if path.is_dir() else path


def expand_home(path: Path, environment: Mapping[str, str]) -> Path:
    """Return a path with the home folder for ``~``; raise ConfigError if that is not an absolute path.

    Without a variable for it, the home folder is that of the account.
    """
    home = environment.get(HOME_VARIABLE)
    if path.parts[:1] != ("~",) or home is None:
        return path.expanduser()
    if not Path(home).is_absolute():
        raise ConfigError(RELATIVE_HOME.format(home))
    return Path(home, *path.parts[1:])
