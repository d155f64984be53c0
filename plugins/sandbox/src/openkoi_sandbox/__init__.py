"""Run OpenKoi's commands in the strongest sandbox that passes a self-test, and leave no process behind."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .autorun_report import AutorunReport as AutorunReport
    from .bubblewrap import BubblewrapSandbox as BubblewrapSandbox
    from .ladder import SandboxLadder as SandboxLadder
    from .landlock import LandlockSandbox as LandlockSandbox
    from .rlimits_sandbox import RlimitsSandbox as RlimitsSandbox
    from .unconfined import UnconfinedSandbox as UnconfinedSandbox
