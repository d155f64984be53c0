"""Run OpenKoi's commands in the strongest sandbox that passes a self-test, and leave no process behind."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .auto import AutoSandbox
    from .autorun_report import AutorunReport
    from .bubblewrap import BubblewrapSandbox
    from .landlock import LandlockSandbox
    from .rlimits_sandbox import RlimitsSandbox
    from .unconfined import UnconfinedSandbox

__all__ = [
    "AutoSandbox",
    "AutorunReport",
    "BubblewrapSandbox",
    "LandlockSandbox",
    "RlimitsSandbox",
    "UnconfinedSandbox",
]
