"""What is out of date is told in the installers' own words, and brought by whoever installed it."""

import json
import sys
from pathlib import Path

import pytest

from openkoi_cli.update import Newer, newer, said, upgrade
from openkoi_hookspecs import KoiError

LISTED = [
    {"name": "openkoi_slack", "version": "2026.1.1", "latest_version": "2026.2.1"},
    {"name": "click", "version": "8.3", "latest_version": "8.4"},
    {"name": "openkoi", "version": "2026.1.1", "latest_version": "2026.2.1"},
    {"name": "openkoify", "version": "1", "latest_version": "2"},
]


@pytest.mark.row("CLI-09")
def test_only_openkoi_and_its_plugins_are_looked_at() -> None:
    expected = [Newer("openkoi", "2026.1.1", "2026.2.1"), Newer("openkoi_slack", "2026.1.1", "2026.2.1")]

    assert expected == newer(json.dumps(LISTED))
    assert [] == newer("")


@pytest.mark.row("CLI-09")
@pytest.mark.parametrize(
    ("prefix", "begins"),
    [
        ("/home/me/.local/share/uv/tools/openkoi", ["uv", "tool", "upgrade", "openkoi"]),
        ("/home/me/.local/pipx/venvs/openkoi", ["pipx", "upgrade"]),
    ],
)
def test_whoever_installed_it_brings_it(prefix: str, begins: list[str]) -> None:
    assert begins == upgrade(["openkoi"], Path(prefix))[: len(begins)]


def test_elsewhere_this_environment_is_brought_up_to_date() -> None:
    order = upgrade(["openkoi", "openkoi-slack"], Path("/somewhere"))

    assert sys.executable in order
    assert ["--upgrade", "openkoi", "openkoi-slack"] == order[-3:]


def test_an_installer_that_cannot_tell_is_quoted() -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('no index here')"]

    with pytest.raises(KoiError, match="no index here"):
        said(failing)
    with pytest.raises(KoiError, match="cannot tell"):
        said(["no-such-program-anywhere"])
