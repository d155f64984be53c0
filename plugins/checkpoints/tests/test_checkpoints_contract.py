"""The store keeps the contract of all checkpoints."""

from pathlib import Path

from openkoi_checkpoints import Store
from openkoi_testing.contracts.checkpoints import CheckpointsContract


def store(folder: Path) -> Store:
    """A store with its defaults."""
    return Store(folder=folder)


class TestContract(CheckpointsContract):
    subject = staticmethod(store)
