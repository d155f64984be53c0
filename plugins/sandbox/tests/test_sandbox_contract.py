"""Running plainly keeps the contract of all sandboxes."""

from pathlib import Path

from openkoi_sandbox import Plain
from openkoi_testing.contracts.sandbox import SandboxContract


def plain(folder: Path) -> Plain:
    """A sandbox that loses little time on the stubborn."""
    return Plain(folder=folder, grace=0.3)


class TestContract(SandboxContract):
    subject = staticmethod(plain)
