"""List the plugins that are configured to run in a process of their own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Configuration

OWN_PROCESS = "in its own process"


def list_own_processes(koi: "Configuration") -> str:
    """Return the names and kinds of the plugins that run in a process of their own."""
    places = [one.key.split(".", 1) for one in koi.settings(bundles=True) if is_subprocess(one.key) and one.value]
    return ", ".join(f"{rest.rpartition('.')[0]} ({kind})" for kind, rest in places)


def is_subprocess(key: str) -> bool:
    """Return whether a setting is the one that gives a plugin a process of its own."""
    return key.count(".") > 1 and key.endswith(".subprocess")
