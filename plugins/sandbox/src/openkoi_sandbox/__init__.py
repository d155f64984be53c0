"""Run OpenKoi's commands in the strongest sandbox that passes a self-test, and leave no process behind."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .auto import AutoSandbox
    from .autorun_report import AutorunReport
    from .bubblewrap import BubblewrapSandbox
    from .landlock import LandlockSandbox
    from .rlimits_sandbox import RlimitsSandbox
    from .unconfined import UnconfinedSandbox

MODULES = {
    "AutoSandbox": "auto",
    "AutorunReport": "autorun_report",
    "BubblewrapSandbox": "bubblewrap",
    "LandlockSandbox": "landlock",
    "RlimitsSandbox": "rlimits_sandbox",
    "UnconfinedSandbox": "unconfined",
}
__all__ = [
    "AutoSandbox",
    "AutorunReport",
    "BubblewrapSandbox",
    "LandlockSandbox",
    "RlimitsSandbox",
    "UnconfinedSandbox",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: a run that starts no command needs the report alone."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
