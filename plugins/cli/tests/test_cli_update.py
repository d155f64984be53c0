"""What is out of date is told in the installers' own words, and brought by whoever installed it."""

import json
import sys
from pathlib import Path

import pytest

from openkoi_cli.release_notice import Notice, format_notice, read_notice
from openkoi_cli.releases import Newer, last_error, parse_newer, run_and_read, upgrade_command
from openkoi_hookspecs import KoiError

LISTED = [
    {"name": "openkoi_slack", "version": "2026.1.1", "latest_version": "2026.2.1"},
    {"name": "click", "version": "8.3", "latest_version": "8.4"},
    {"name": "openkoi", "version": "2026.1.1", "latest_version": "2026.2.1"},
    {"name": "openkoify", "version": "1", "latest_version": "2"},
]


@pytest.mark.row("CLI-09")
def test_only_openkoi_and_its_plugins_are_looked_at() -> None:
    expected = [Newer("openkoi", "2026.1.1", "2026.2.1"), Newer("openkoi-slack", "2026.1.1", "2026.2.1")]

    assert expected == parse_newer(json.dumps(LISTED))
    assert [] == parse_newer("")


@pytest.mark.row("CLI-09")
@pytest.mark.parametrize(
    ("prefix", "begins"),
    [
        ("/home/me/.local/share/uv/tools/openkoi", ["uv", "tool", "upgrade", "openkoi"]),
        ("/home/me/.local/pipx/venvs/openkoi", ["pipx", "upgrade"]),
    ],
)
def test_whoever_installed_it_brings_it(prefix: str, begins: list[str]) -> None:
    order = upgrade_command(["openkoi"], Path(prefix))

    assert begins == [word for word in order if word != "--quiet"][: len(begins)]


def test_elsewhere_this_environment_is_brought_up_to_date() -> None:
    order = upgrade_command(["openkoi", "openkoi-slack"], Path("/somewhere"))

    assert sys.executable in order
    assert ["--upgrade", "openkoi", "openkoi-slack"] == order[-3:]


@pytest.mark.parametrize(
    ("printed", "why"),
    [
        ("", "no output"),
        ("WARNING: x\nERROR: No matching distribution found for koi\n", "No matching distribution found for koi"),
        ("error: Request failed\n  cause: Connection refused (os error 111)\n", "Connection refused (os error 111)"),
        ("error: externally-managed\n\nTo install, use apt.\nhint: See PEP 668.\n", "externally-managed"),
        ("Killed.\n", "Killed"),
    ],
)
def test_of_what_an_installer_prints_the_last_cause_is_quoted(printed: str, why: str) -> None:
    assert why == last_error(printed)


def test_the_last_words_of_a_failing_installer_are_quoted() -> None:
    failing = [sys.executable, "-c", "import sys; sys.exit('ERROR: no index here.')"]

    with pytest.raises(KoiError, match=r"did not find a release of openkoi \(no index here\)"):
        run_and_read(failing, "openkoi", 60)
    with pytest.raises(KoiError, match="no-such-program-anywhere"):
        run_and_read(["no-such-program-anywhere"], "openkoi", 60)


def test_an_announcement_names_what_is_newer_than_what_is_installed_now(tmp_path: Path) -> None:
    found = (Newer("openkoi-slack", "1", "2"), Newer("openkoi", "1", "2"))
    line = "A newer release is available: openkoi 1 -> 2 and 1 more. Run `openkoi update`."

    assert line == format_notice(Notice(newer=found), {"openkoi": "1", "openkoi-slack": "1"})
    assert "openkoi-slack 1 -> 2. Run" in format_notice(Notice(newer=found), {"openkoi": "2", "openkoi-slack": "1"})
    assert "" == format_notice(Notice(newer=found), {"openkoi": "2"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"asked": "x"}', '{"asked": "", "announced": "", "newer": [{}]}'])
def test_damaged_notes_are_no_notes(tmp_path: Path, text: str) -> None:
    (tmp_path / "releases.json").write_text(text)

    assert Notice() == read_notice(tmp_path / "releases.json")
    assert Notice() == read_notice(tmp_path / "missing.json")
