"""Calendar versions, and the pins that are tested."""

import re
import tomllib
from pathlib import Path

import pytest

from openkoi import __version__

ROOT = Path(__file__).parent.parent
CALENDAR = re.compile(r"20\d\d\.(1[0-2]|[1-9])\.(3[01]|[12]\d|[1-9])(b\d+)?")


@pytest.mark.row("MIG-07", "C45")
def test_the_version_is_a_date_as_the_standard_writes_it() -> None:
    assert CALENDAR.fullmatch(__version__)


def test_pip_and_uv_are_given_the_same_pins() -> None:
    for_uv = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["constraint-dependencies"]

    assert for_uv == (ROOT / "plugins" / "bundle" / "constraints.txt").read_text().splitlines()
    assert len(for_uv) > 20
    assert all("==" in pin and "://" not in pin for pin in for_uv)
