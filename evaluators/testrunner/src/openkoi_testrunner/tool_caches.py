"""Point cargo and go at the user's caches, since the sandbox gives them empty folders of their own.

Nothing is downloaded for tests: cargo reads the user's folder if its own lacks something, go copies from it.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def cargo_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return variables that make cargo read the user's folder; none if it does not exist."""
    place = Path(ours.get("CARGO_HOME") or Path.home() / ".cargo")
    return {"CARGO_HOME": str(place)} if any((place / name).is_dir() for name in ("registry", "git")) else {}


def go_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return variables that make go read modules from the user's folder only."""
    paths = (ours.get("GOPATH") or str(Path.home() / "go")).split(os.pathsep)
    kept = Path(ours.get("GOMODCACHE") or Path(paths[0]) / "pkg" / "mod") / "cache" / "download"
    proxies = [kept.absolute().as_uri()] if kept.is_dir() else []
    return {"GOPROXY": ",".join([*proxies, "off"]), "GOSUMDB": "off", "GOTOOLCHAIN": "local"}
