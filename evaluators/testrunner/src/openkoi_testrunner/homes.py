"""Where cargo and go keep what was fetched before: a cage gives them an empty folder of their own, to be filled.

Nothing is fetched for tests: cargo reads the user's folder when its own has not what is needed, go copies from it.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def cargo_at_home(ours: Mapping[str, str]) -> dict[str, str]:
    """Variables that have cargo read the user's folder; none where there is none."""
    place = Path(ours.get("CARGO_HOME") or Path.home() / ".cargo")
    return {"CARGO_HOME": str(place)} if any((place / name).is_dir() for name in ("registry", "git")) else {}


def go_offline(ours: Mapping[str, str]) -> dict[str, str]:
    """Variables that have go fetch from what the user's folder holds, and from nowhere else."""
    paths = (ours.get("GOPATH") or str(Path.home() / "go")).split(os.pathsep)
    kept = Path(ours.get("GOMODCACHE") or Path(paths[0]) / "pkg" / "mod") / "cache" / "download"
    proxies = [kept.absolute().as_uri()] if kept.is_dir() else []
    return {"GOPROXY": ",".join([*proxies, "off"]), "GOSUMDB": "off", "GOTOOLCHAIN": "local"}
