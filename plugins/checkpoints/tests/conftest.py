"""Fixtures: a checkpoint store, and a workspace to checkpoint."""

from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with one file."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("first\n")
    return root


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    """An empty store."""
    return CheckpointStore(folder=tmp_path / "kept")
