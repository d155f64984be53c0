"""List the plugins that are configured to run in a separate process."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Configuration

OWN_PROCESS = "in its own process"


def list_own_processes(koi: "Configuration") -> str:
    """Return the names and kinds of the plugins that run in a separate process."""
    places = [one.key.split(".", 1) for one in koi.settings(bundles=True) if is_subprocess(one.key) and one.value]
    return ", ".join(f"{rest.rpartition('.')[0]} ({kind})" for kind, rest in places)


def is_subprocess(key: str) -> bool:
    """Return whether a setting makes a plugin run in a separate process."""
    return key.count(".") > 1 and key.endswith(".subprocess")
