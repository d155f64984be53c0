"""Where bundles lie, and which of several plugins of one name is preferred."""

from importlib.util import find_spec
from pathlib import Path

from openkoi_settings import Config, keys

from .registry import Scan, with_preferences


def as_preferred(found: Scan, config: Config) -> Scan:
    """The same with the winners that the configuration prefers, if it prefers any."""
    preferred = config.table(keys.PREFER.table).items()
    named = ((key.partition("."), str(one.value)) for key, one in preferred)
    return (
        with_preferences(found, frozenset((kind, name, winner) for (kind, _, name), winner in named))
        if preferred
        else found
    )


def bundle_folders(found: Scan) -> list[Path]:
    """Where the bundles' files lie, in the order of their names; the default one is the weakest."""
    bundles = sorted(
        (one for one in found.found if one.kind == "bundles"), key=lambda one: (one.name != "default", one)
    )
    return [folder for one in bundles if (folder := package_folder(one.target))]


def package_folder(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
