"""Test the store with the contract of all checkpoints."""

from pathlib import Path

from openkoi_checkpoints import CheckpointStore
from openkoi_testing.contracts.checkpoints import CheckpointsContract


def store(folder: Path) -> CheckpointStore:
    """A store with its defaults."""
    return CheckpointStore(folder=folder)


class TestContract(CheckpointsContract):
    subject = staticmethod(store)
