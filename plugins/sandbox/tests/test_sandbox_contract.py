"""Each way of running keeps the contract of all sandboxes. What this machine lacks is skipped, and said."""

from pathlib import Path

import pytest

from openkoi_sandbox import Bubblewrap, Landlock, Limits, Plain
from openkoi_sandbox.bubblewrap import ISOLATED
from openkoi_sandbox.landlock import CONFINED
from openkoi_sandbox.limited import LIMITED
from openkoi_sandbox.rung import Rung
from openkoi_testing.contracts.sandbox import SandboxContract

GRACE = 0.1


def needs(rung: Rung) -> pytest.MarkDecorator:
    return pytest.mark.skipif(bool(rung.missing()), reason=f"not here: {rung.missing()}")


def plain(folder: Path) -> Plain:
    """A sandbox that loses little time on the stubborn."""
    return Plain(folder=folder, grace=GRACE)


def limits(folder: Path) -> Limits:
    return Limits(folder=folder, grace=GRACE)


def landlock(folder: Path) -> Landlock:
    return Landlock(folder=folder, grace=GRACE)


def bubblewrap(folder: Path) -> Bubblewrap:
    return Bubblewrap(folder=folder, grace=GRACE)


# Where commands are isolated, Landlock is the rung below: it starts and ends them in the same way.
below = pytest.mark.skipif(False, reason="") if ISOLATED.missing() else pytest.mark.campaign


class TestPlain(SandboxContract):
    subject = staticmethod(plain)


@pytest.mark.campaign  # it starts and ends commands as Landlock does
@needs(LIMITED)
class TestLimits(SandboxContract):
    subject = staticmethod(limits)


@below
@needs(CONFINED)
class TestLandlock(SandboxContract):
    subject = staticmethod(landlock)


@needs(ISOLATED)
class TestBubblewrap(SandboxContract):
    subject = staticmethod(bubblewrap)
