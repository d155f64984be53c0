"""A pond to work at and a shop to keep."""

from pathlib import Path

import pytest
from skills_pond import Pond
from skills_shop import Shop


@pytest.fixture
def pond(tmp_path: Path) -> Pond:
    return Pond(tmp_path)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Shop(tmp_path)
