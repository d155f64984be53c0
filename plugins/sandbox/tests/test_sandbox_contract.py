"""Test each sandbox with the contract of all; skip, with the reason, what this machine lacks."""

from pathlib import Path

import pytest

from openkoi_sandbox import BubblewrapSandbox, LandlockSandbox, RlimitsSandbox, UnconfinedSandbox
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL
from openkoi_sandbox.level import LevelDefinition
from openkoi_sandbox.rlimits_sandbox import RLIMITS_LEVEL
from openkoi_testing.contracts.sandbox import SandboxContract

GRACE = 0.1


def needs(level: LevelDefinition) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(level.missing()), reason=f"not here: {level.missing()}")


def plain(folder: Path) -> UnconfinedSandbox:
    """A sandbox with a short grace period for stubborn processes."""
    return UnconfinedSandbox(folder=folder, grace=GRACE)


def limits(folder: Path) -> RlimitsSandbox:
    return RlimitsSandbox(folder=folder, grace=GRACE)


def landlock(folder: Path) -> LandlockSandbox:
    return LandlockSandbox(folder=folder, grace=GRACE)


def bubblewrap(folder: Path) -> BubblewrapSandbox:
    return BubblewrapSandbox(folder=folder, grace=GRACE)


# Where commands are isolated, Landlock is the level below: it starts and ends them in the same way.
below = pytest.mark.skipif(False, reason="") if BUBBLEWRAP_LEVEL.missing() else pytest.mark.campaign


class TestPlain(SandboxContract):
    subject = staticmethod(plain)


@pytest.mark.campaign  # it starts and ends commands as Landlock does
@needs(RLIMITS_LEVEL)
class TestLimits(SandboxContract):
    subject = staticmethod(limits)


@below
@needs(LANDLOCK_LEVEL)
class TestLandlock(SandboxContract):
    subject = staticmethod(landlock)


@needs(BUBBLEWRAP_LEVEL)
class TestBubblewrap(SandboxContract):
    subject = staticmethod(bubblewrap)
